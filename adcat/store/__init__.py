"""The bundled sample store: three small shops to crawl, the same on every machine and every run.

Pure: `model` (products), `stock_*` (what each shop sells), `shelf` (its present state), `pages_*` (its markup style),
`sites` (the three), `shop` (one that is open), `exchange` (HTTP around a page), `expected` (what a careful human would
publish). Shells: `server`, `admin`.
"""

from adcat.store.server import SampleStore, run_forever
from adcat.store.shop import RequestLogged

__all__ = ["RequestLogged", "SampleStore", "run_forever"]
