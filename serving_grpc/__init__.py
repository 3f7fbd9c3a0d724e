"""The serving path: a replica of the catalog in memory and RocksDB, answered over gRPC and an HTTP gateway."""
