"""Runs any `streams.stage.Stage` on Faust: `app.build_app`, `app.run_worker`. The reasons are in faust-kafka.md.

settings.py   what a worker is told; its exit codes         lanes.py     next offset, holes, time, what to commit (pure)
app.py        build_app, run_worker, one assignment         mend.py      Faust's start-up, rewind and commit, mended
runner.py     one event: decode, handle, send, write        store.py     RocksDB options, recovery, private indexes
owner.py      owner-started and ticks                       table.py     rows of a partition and their changelog
watch.py      status file, heartbeat, stalled recovery      failstop.py  how a worker ends
boot.py       committed offsets against the log's range
"""
