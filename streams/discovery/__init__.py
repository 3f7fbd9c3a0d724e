"""Discovery: from pages and sitemaps to links with an identity; pure, run by the parse app."""
