"""Raw bodies and their manifests in object storage; neutral, because fetch writes them and parse reads them (SPEC E5)."""
