"""`adcat schema check|draft`."""

import typer

app = typer.Typer(help="Check and draft Avro schemas.", no_args_is_help=True)


@app.command()
def check() -> None:
    """Fail unless every released schema is intact, compatible, and equal to its event class."""
    from topics.compat import check as incompatibilities
    from topics.schemas import AVRO_DIR, newest, released, schema_of
    from topics.specs import EVENTS

    problems = incompatibilities(AVRO_DIR)
    have = newest(released())
    for event in EVENTS:
        if event.__name__ not in have:
            problems.append(f"{event.__name__} has no schema: run `adcat schema draft`")
        elif have[event.__name__].schema != schema_of(event):
            problems.append(f"{event.__name__} differs from its newest schema: run `adcat schema draft`")
    for problem in problems:
        print(problem)
    if problems:
        raise typer.Exit(1)
    print(f"{len(have)} schemas are intact, compatible and equal to their classes")


@app.command()
def draft() -> None:
    """Write the next version of every event class that changed; released files are never touched."""
    from topics.schemas import draft as write
    from topics.specs import EVENTS

    for stem in write(EVENTS):
        print(f"avro/{stem}.avsc")
