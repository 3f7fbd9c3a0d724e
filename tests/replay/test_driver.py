"""The driver itself: a simulator that does not really crash, repeat, lose and delay proves nothing."""

import random
from dataclasses import dataclass, replace

import pytest

from replay.driver import Driver, Effect
from replay.faults import Dice, Faults
from streams.stage import Emit, Stage, TableSpec
from tests.flows.world import shop
from topics.errors import Reject
from topics.events.base import Event, event_id

IN, OUT, ASK = "in", "out", "ask"


@dataclass(frozen=True, slots=True, kw_only=True)
class Said(Event):
    word: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    applied: int
    words: tuple[str, ...] = ()


def said(word: str) -> Said:
    return Said(event_id=event_id("Said", b"", None, word, 0), occurred_at_ms=0, word=word)


def echo(view, event, at):
    """Says each word to `out` and to the effect; keeps it in a first row, a private row, and a guard row."""
    if not isinstance(event, Said):
        return ()
    if event.word == "bad":
        raise Reject("no")
    key = event.word.encode()
    view.put("notes", b"note " + key, Heard(applied=at.offset))
    view.put("index", b"index " + key, Heard(applied=at.offset))
    row = view.get("words", b"all") or Heard(applied=-1)
    if at.offset > row.applied:
        row = Heard(applied=at.offset, words=(*row.words, event.word))
    view.put("words", b"all", row)
    return [Emit(topic=topic, key=key, event=event) for topic in (OUT, ASK)]


def stage(**changes) -> Stage:
    tables = (
        TableSpec(name="notes", row=Heard),
        TableSpec(name="index", row=Heard, durable=False),
        TableSpec(name="words", row=Heard),
    )
    return replace(Stage(name="echo", inboxes=(IN,), tables=tables, handle=echo, ticks=IN), **changes)


def reply(event: Said, origin: str, now_ms: int):
    return 1_000, [Emit(topic=OUT, key=b"x", event=said(f"answer to {event.word}"))]


def run(words="abcdef", seed: int = 1, **faults: float) -> Driver:
    driver = Driver(
        stages=(stage(),),
        effects=(Effect(topic=ASK, answer=reply),),
        faults=Faults(**faults),
        chance=random.Random(seed),
    )
    for word in words:
        driver.append(IN, b"x", said(word))
    driver.advance(5_000)
    return driver


def words_of(driver: Driver) -> tuple[str, ...]:
    return driver.view("echo").get("words", b"all").words


def out(driver: Driver) -> list[str]:
    return [event.word for event in driver.logs.events(OUT, Said)]


def test_undisturbed_everything_happens_once_and_in_order():
    driver = run()
    assert words_of(driver) == tuple("abcdef")
    assert out(driver) == [*"abcdef", *(f"answer to {word}" for word in "abcdef")]
    assert driver.dice.counts == {}


@pytest.mark.parametrize("fault", ["crash_in_send", "crash_before_flush", "crash_in_flush"])
def test_a_crash_repeats_the_event_and_the_guard_keeps_it_single(fault):
    driver = run(**{fault: 0.5})
    assert driver.dice.counts[fault] > 0
    assert words_of(driver) == tuple("abcdef")
    assert len([word for word in out(driver) if len(word) == 1]) >= 6
    assert len(driver.logs.events(IN)) > 6 + 25, "each crash started a new owner beside 25 ticks"


def test_a_crash_in_send_leaves_some_outputs_unsent_and_no_write():
    driver = Driver(stages=(stage(ticks=None),), faults=Faults(crash_in_send=1.0), chance=random.Random(0))
    driver.append(IN, b"x", said("a"))
    sent = set()
    for _ in range(20):
        before = out(driver), len(driver.logs.events(ASK))
        driver._step_stage(driver.stages[0])
        sent.add((len(out(driver)) - len(before[0]), len(driver.logs.events(ASK)) - before[1]))
    assert sent == {(0, 0), (1, 0)}
    assert driver.view("echo").get("words", b"all") is None


def test_a_crash_before_the_flush_sends_and_writes_nothing():
    driver = Driver(stages=(stage(ticks=None),), faults=Faults(crash_before_flush=1.0), chance=random.Random(0))
    driver.append(IN, b"x", said("a"))
    driver._step_stage(driver.stages[0])
    driver._step_stage(driver.stages[0])
    assert out(driver) == ["a", "a"]
    assert driver.view("echo").get("notes", b"note a") is None


def test_a_crash_in_the_flush_never_leaves_the_guard_without_the_rows_before_it():
    writes = [(("notes", b"1"), 1), (("index", b"2"), 2), (("more", b"3"), 3), (("words", b"g"), 4)]
    seen = {
        tuple(row for _, row in Dice(Faults(), random.Random(seed)).survivors(writes, ["notes", "more", "words"]))
        for seed in range(300)
    }
    assert seen == {(), (1,), (3,), (1, 3), (1, 3, 4)}
    assert Dice(Faults(), random.Random(1)).survivors([(("index", b"2"), 2)], ["notes"]) == []


def test_a_crash_wipes_the_private_index():
    driver = run("a")
    assert driver.view("echo").get("index", b"index a") is not None
    driver.restart("echo")
    assert driver.view("echo").get("index", b"index a") is None
    assert driver.view("echo").get("notes", b"note a") is not None


def test_outputs_are_repeated():
    assert len(out(run(repeat=1.0))) == 2 * (6 + 2 * 6), "six words twice, each asked twice, each answer twice"


def test_answers_are_lost():
    driver = run(lose_answer=1.0)
    assert out(driver) == list("abcdef")
    assert driver.dice.counts == {"lose_answer": 6}


def test_answers_are_late_and_arrive():
    driver = run(late_answer=1.0)
    assert out(driver) == list("abcdef")
    assert driver.waiting()
    driver.advance(150_000)
    assert len(out(driver)) == 12


def test_answers_overtake_each_other():
    driver = run(late_answer=0.5)
    driver.advance(150_000)
    answers = [word for word in out(driver) if word.startswith("answer")]
    assert sorted(answers) == [f"answer to {word}" for word in "abcdef"]
    assert answers != sorted(answers)


def test_an_effect_reads_a_record_once_whatever_crashes():
    driver = run(crash_before_flush=0.4)
    asked = len(driver.logs.events(ASK, Said))
    assert asked > 6
    assert len([word for word in out(driver) if word.startswith("answer")]) == asked


def test_calm_ends_the_faults():
    driver = run(repeat=1.0)
    driver.calm()
    driver.append(IN, b"x", said("z"))
    driver.settle()
    assert out(driver).count("z") == 1


def test_a_stopped_stage_handles_nothing_and_catches_up():
    driver = run("a")
    driver.stopped.add("echo")
    driver.append(IN, b"x", said("b"))
    ticks = len(driver.logs.events(IN))
    driver.advance(10_000)
    assert words_of(driver) == ("a",)
    assert len(driver.logs.events(IN)) == ticks
    driver.stopped.clear()
    driver.settle()
    assert words_of(driver) == ("a", "b")


def test_a_rejected_event_is_passed():
    assert words_of(run(["a", "bad", "b"])) == ("a", "b")


def test_time_never_runs_backwards_in_a_partition():
    times = []

    def note(view, event, at):
        times.append(at.now_ms)
        return ()

    driver = Driver(stages=(stage(handle=note, ticks=None),))
    for now_ms in (5_000, 3_000, 6_000):
        driver.logs.append(IN, b"x", said("a"), now_ms)
    driver.settle()
    assert times == [5_000, 5_000, 6_000]


def test_two_stages_that_answer_each_other_for_ever_are_told():
    loop = stage(handle=lambda view, event, at: [Emit(topic=IN, key=b"x", event=event)])
    with pytest.raises(AssertionError, match="no rest"):
        Driver(stages=(loop,), rounds_max=50).settle()


def test_a_record_handled_again_shows_what_it_would_do():
    driver = run("ab")
    offset = next(at for at, one in enumerate(driver.logs.read(IN, 0)) if one.event == said("a"))
    emits, writes = driver.handle_again("echo", IN, 0, offset)
    assert [emit.event.word for emit in emits] == ["a", "a"]
    assert ("words", b"all") in dict(writes)


STORM = Faults(
    crash_in_send=0.01,
    crash_before_flush=0.01,
    crash_in_flush=0.01,
    repeat=0.02,
    lose_answer=0.05,
    late_answer=0.05,
)


def test_the_same_seed_gives_the_same_history_and_another_seed_another_one():
    def history(seed: int) -> str:
        world = shop(products=3, faults=STORM, seed=seed)
        world.authorize()
        world.advance(30_000)
        return world.logs.digest()

    assert history(1) == history(1)
    assert history(1) != history(2)
