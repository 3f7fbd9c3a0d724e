"""Runs any `streams.stage.Stage` on Faust: `build_app`, `run_worker` (the rules are in reference faust-kafka.md).

settings.py   what a worker is told; exit codes            lanes.py    next offset, holes, time, what to commit (pure)
app.py        build_app, run_worker                        mend.py     Faust's start-up order, mended
runner.py     one event: decode, handle, send, write       store.py    RocksDB options, recovery, private indexes
owner.py      owner-started and ticks                      table.py    rows of a partition, their changelog
watch.py      status file, heartbeat and recovery watch    failstop.py how a worker ends
boot.py       committed offsets against the log's range
"""
