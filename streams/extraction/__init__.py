"""Extraction: what a page says of its product, decided from claims. Pure modules; `page.read_page` is the one door."""
