"""The folds that add up trends: what each can fold, at what cost, and where it is.

Reasons are data: EXPLAIN prints why a fold does not take a query.
"""

from __future__ import annotations

from cepheid.engine.events.is_few import is_few
from cepheid.engine.fold import Facts, Fold, Precedence
from cepheid.engine.trends.contiguous_variants import why_not_linear
from cepheid.engine.trends.trends import MOST_CODES, Trends
from cepheid.plan.window_costs import MANY_WINDOWS, WindowCosts, window_costs
from cepheid.program.adjacent_program import LOOKED_UP
from cepheid.program.program import Clock, StrategyCode

FOLDS = "cepheid.engine.trends.folds"
MOST_SLOTS = 8  # of events that are counted in order
MOST_PAIRS = 2**16  # of partitions and results whose windows are counted anew: each is looked up
MOST_STEPS = 2**20  # of all these windows together
FEW_STEPS = 2**14  # of them that take no longer than what needs more kernels
MANY_STARTS = (
    64  # first events in a window: from 60 (A, B+, C) to 300 (A, B, C) the queue is as fast
)
IN_QUEUE = 30  # steps of contiguous runs that take as long as one in the queue
UNSORTED, SORTED = 0, 1

PAIRED = "AND pairs the trends of two patterns"
NO_PAIR = "there is one pattern"
READS_LAST = "what a run takes next depends on its last event"
NO_LAST_EVENTS = "no value per last event is kept"
MOVES = "its window moves with every event"
STANDS = "its windows do not move with every event"
ADDS_MORE = "more than the number of trends is asked for"
NOT_ANY = "events take runs away from each other"
IS_NEGATED = "a part is negated"
AT_BORDERS = "first or last events are tested by themselves"
MANY_EVENTS = "there are many events"


# --- a value per position ------------------------------------------------------------------------


def _not_by_position(trends: Trends, facts: Facts) -> str | None:
    """Return why no value per position is kept in windows that stand."""
    if trends.program.pair is not None:
        return PAIRED
    if trends.program.slots is None:
        return READS_LAST
    return MOVES if trends.is_moving else None


def _not_in_order(trends: Trends, facts: Facts) -> str | None:
    program, slots = trends.program, trends.program.slots
    obstacle = _not_by_position(trends, facts)
    if obstacle is not None or slots is None:
        return obstacle
    if not trends.counts_only:
        return ADDS_MORE
    if program.partition_by or program.order or program.clock is Clock.EVENTS:
        return "partitions, tie-breaks or windows of events ask for more than the time"
    if trends.is_step or not trends.is_own:
        return "not all events and windows are wanted" if trends.is_step else PAIRED
    if slots.size > MOST_SLOTS or not _has_few_codes(trends):
        return "there are too many kinds of events and runs"
    if facts["rows"] == 0 or facts["order"] == UNSORTED:
        return "events are not in order" if facts["rows"] else "there are no events"
    only_grows = program.strategy is StrategyCode.SKIP_TILL_ANY and len(slots.moves[0]) == 1
    if facts["order"] == SORTED and not only_grows:
        return "events are concurrent, and not just added up"
    return None


def _has_few_codes(trends: Trends) -> bool:
    """Whether a byte tells what an event fits: its type, or all that it is tested for."""
    program = trends.program
    if all(test.condition is None for test in program.all_tests):
        return len(program.types) < MOST_CODES
    return 1 << len(program.all_tests) <= MOST_CODES


def _not_one_by_one(trends: Trends, facts: Facts) -> str | None:
    slots = trends.program.slots
    obstacle = _not_by_position(trends, facts)
    if obstacle is not None or slots is None:
        return obstacle
    return None if trends.is_step and facts["wanted windows"] >= 0 else "all windows are wanted"


def _many_wanted(trends: Trends, facts: Facts) -> str | None:
    assert trends.program.slots is not None
    wanted = facts["wanted windows"]  # panes take as many updates per event as there are slots
    return f"{wanted:,} windows are wanted" if wanted > trends.program.slots.size else None


def _not_counted(trends: Trends, facts: Facts) -> str | None:
    if trends.program.window_length is None:
        return _not_by_position(trends, facts) or "it has no window"
    return _not_by_position(trends, facts) or (None if trends.counts_only else ADDS_MORE)


def _not_counted_in_panes(trends: Trends, facts: Facts) -> str | None:
    return _not_counted(trends, facts) or _not_in_panes(trends, facts)


def _not_in_panes(trends: Trends, facts: Facts) -> str | None:
    apart = "windows do not overlap" if trends.overlap == 1 else None
    return _not_by_position(trends, facts) or apart


def _few_windows(trends: Trends, facts: Facts) -> str | None:
    few = f"at most {MANY_WINDOWS} windows are open at once"
    return few if trends.overlap <= MANY_WINDOWS else None


def _counts(trends: Trends, facts: Facts) -> str | None:
    large = "counts that become large can stay in panes of counts"
    return large if trends.counts_only and trends.overlap > MANY_WINDOWS else None


def _costs(trends: Trends, facts: Facts, *, is_plain: bool) -> WindowCosts:
    """Return what an event costs with vectors, and with panes."""
    assert trends.program.slots is not None
    steps = max(1, facts["steps"])
    open_windows, per_pane = facts["steps in windows"] / steps, steps / max(1, facts["panes"])
    slots = trends.program.slots.size
    return window_costs(slots, open_windows, per_pane, is_plain=is_plain)


# --- a value per position, in a window that moves ------------------------------------------------


def _not_in_queue(trends: Trends, facts: Facts) -> str | None:
    obstacle = _not_by_position(trends, facts)
    return None if obstacle is MOVES else obstacle or STANDS


def _not_counted_anew(trends: Trends, facts: Facts) -> str | None:
    program, obstacle = trends.program, _not_in_queue(trends, facts)
    if obstacle is not None or not trends.counts_only:
        return obstacle or ADDS_MORE
    if program.strategy is not StrategyCode.SKIP_TILL_ANY or program.negation is not None:
        return NOT_ANY if program.negation is None else IS_NEGATED
    return None


def _many_results(trends: Trends, facts: Facts) -> str | None:
    if not is_few(max(facts["kept"], facts["results"])):
        return MANY_EVENTS
    if facts["partitions"] * facts["results"] > MOST_PAIRS:  # the queue took a sixtieth
        return "there are many partitions and results"
    is_much = _is_much_if_compiled(facts) or facts["steps of results"] > MOST_STEPS
    return "windows have many events" if is_much else None


def _is_much_if_compiled(facts: Facts) -> bool:
    """Whether kernels that need not be compiled any more count the windows sooner."""
    results = facts["results"]
    is_worth_asking = results * facts["kept"] > FEW_STEPS and facts["compiled"] != 0
    return is_worth_asking and results * facts["steps in a moving window"] > FEW_STEPS


def _not_by_start(trends: Trends, facts: Facts) -> str | None:
    program, obstacle = trends.program, _not_in_queue(trends, facts)
    if obstacle is not None or not trends.counts_only:
        return obstacle or ADDS_MORE
    if program.blocks_borders:
        return "a part is negated before the first or after the last event"
    return None


def _many_starts(trends: Trends, facts: Facts) -> str | None:
    mean = facts["first events on average"]
    return f"a window has {mean:,} first events on average" if mean > MANY_STARTS else None


# --- a value per last event ----------------------------------------------------------------------


def _not_by_last_event(trends: Trends, facts: Facts) -> str | None:
    if trends.program.pair is not None:
        return PAIRED
    return NO_LAST_EVENTS if trends.program.adjacent is None else None


def _not_contiguous(trends: Trends, facts: Facts) -> str | None:
    program, adjacent = trends.program, trends.program.adjacent
    obstacle = _not_by_last_event(trends, facts)
    if obstacle is not None or adjacent is None:
        return obstacle
    if program.strategy is not StrategyCode.CONTIGUOUS:
        return "trends are not contiguous"
    if program.negation is not None or trends.is_modular:
        return "residues are added up" if program.negation is None else IS_NEGATED
    if any(adjacent.tests[len(program.automaton.edges) :]):
        return AT_BORDERS
    for tests, edge in zip(adjacent.tests, adjacent.edges, strict=False):
        if len(tests) > 1 or (len(tests) == 1 and edge.comparison is None):
            return "an edge makes more than one comparison"
    if trends.reads_numbers and facts["in columns"]:
        return None
    return "numbers to add up are beyond 2^256" if facts["huge numbers"] else None


def _not_contiguous_in_queue(trends: Trends, facts: Facts) -> str | None:
    obstacle = _not_by_last_event(trends, facts)
    if obstacle is not None:
        return obstacle
    return why_not_linear(trends.program) or (None if trends.is_moving else STANDS)


def _folded_anew(trends: Trends, facts: Facts) -> float:
    """Return how often a step is folded: once in every window of a moment."""
    return facts["steps in a moving window"] if trends.is_moving else 1.0


def _not_looked_up(trends: Trends, facts: Facts) -> str | None:
    program, adjacent = trends.program, trends.program.adjacent
    obstacle = _not_by_last_event(trends, facts)
    if obstacle is not None or adjacent is None or not trends.counts_only:
        return obstacle or ADDS_MORE
    if program.strategy is not StrategyCode.SKIP_TILL_ANY or program.negation is not None:
        return NOT_ANY if program.negation is None else IS_NEGATED
    if any(adjacent.tests[len(program.automaton.edges) :]):
        return AT_BORDERS
    if any(each.structure not in LOOKED_UP for each in adjacent.edges):
        return "an edge scans the events that wait"
    return None if facts["looked up"] else "a value that is compared has no place in an order"


def _many_events(trends: Trends, facts: Facts) -> str | None:
    return None if is_few(facts["kept"]) else MANY_EVENTS


# --- one by one, and AND -------------------------------------------------------------------------


def _not_one_pattern(trends: Trends, facts: Facts) -> str | None:
    return None if trends.program.pair is None else PAIRED


def _not_two_patterns(trends: Trends, facts: Facts) -> str | None:
    return NO_PAIR if trends.program.pair is None else None


def _not_sides(trends: Trends, facts: Facts) -> str | None:
    pair = trends.program.pair
    if pair is None:
        return NO_PAIR
    return "pairs depend on more than the sums of each side" if pair.folds is None else None


# --- the folds -----------------------------------------------------------------------------------

# Several events at a time, straight from the columns: one partition that comes in order.
COUNT_IN_ORDER = Fold(
    "grams of events in order",
    Trends,
    Precedence.STRAIGHT,
    _not_in_order,
    f"{FOLDS}.count_in_order:count_in_order",
)
# Each of the few windows that a step of a stream closes.
WINDOWS_ONE_BY_ONE = Fold(
    "windows one by one",
    Trends,
    Precedence.FEW,
    _not_one_by_one,
    f"{FOLDS}.fold_positions:windows_one_by_one",
    waste=_many_wanted,
)
# A vector of doubles for every open window.
COUNTS_IN_VECTORS = Fold(
    "counts in vectors",
    Trends,
    Precedence.DOUBLES,
    _not_counted,
    f"{FOLDS}.fold_positions:counts_in_vectors",
    lambda trends, facts: _costs(trends, facts, is_plain=True).vectors,
)
# A matrix for every pane, of doubles as long as they are below 2^53.
COUNTS_IN_PANES = Fold(
    "counts in panes",
    Trends,
    Precedence.DOUBLES,
    _not_counted_in_panes,
    f"{FOLDS}.fold_positions:values_in_panes",
    lambda trends, facts: _costs(trends, facts, is_plain=True).panes,
    _few_windows,
)
# A vector of numbers of any size for every partition, or for every open window.
VALUES_IN_VECTORS = Fold(
    "values in vectors",
    Trends,
    Precedence.ANY_SIZE,
    _not_by_position,
    f"{FOLDS}.fold_positions:values_in_vectors",
    lambda trends, facts: _costs(trends, facts, is_plain=False).vectors,
)
VALUES_IN_PANES = Fold(
    "values in panes",
    Trends,
    Precedence.ANY_SIZE,
    _not_in_panes,
    f"{FOLDS}.fold_positions:values_in_panes",
    lambda trends, facts: _costs(trends, facts, is_plain=False).panes,
    _counts,
)
# The window of every result, where events are few.
WINDOWS_COUNTED_ANEW = Fold(
    "windows counted anew",
    Trends,
    Precedence.FEW,
    _not_counted_anew,
    f"{FOLDS}.count_few_moving:windows_counted_anew",
    waste=_many_results,
)
# A vector of doubles for every event that begins runs, as long as it is in the window (A-Seq).
COUNTS_BY_START = Fold(
    "counts by first event",
    Trends,
    Precedence.DOUBLES,
    _not_by_start,
    f"{FOLDS}.count_by_start:counts_by_start",
    waste=_many_starts,
)
# Two stacks of matrices and vectors, at a cost that does not depend on the window.
VALUES_IN_QUEUE = Fold(
    "values in a queue",
    Trends,
    Precedence.ANY_SIZE,
    _not_in_queue,
    f"{FOLDS}.fold_moving_window:values_in_queue",
)
# The runs of the previous step, where edges make at most one comparison.
CONTIGUOUS = Fold(
    "contiguous comparisons",
    Trends,
    Precedence.DOUBLES,
    _not_contiguous,
    f"{FOLDS}.fold_contiguous:contiguous_comparisons",
    _folded_anew,
)
# The same as positions without comparisons: two stacks of matrices and vectors.
CONTIGUOUS_IN_QUEUE = Fold(
    "contiguous comparisons in a queue",
    Trends,
    Precedence.DOUBLES,
    _not_contiguous_in_queue,
    f"{FOLDS}.fold_contiguous:contiguous_in_queue",
    lambda trends, facts: IN_QUEUE,
)
# Counts by ranks of what events compare.
FEW_LOOKED_UP = Fold(
    "few counts looked up",
    Trends,
    Precedence.FEW,
    _not_looked_up,
    f"{FOLDS}.count_last_events:few_looked_up",
    waste=_many_events,
)
COUNTS_LOOKED_UP = Fold(
    "counts looked up",
    Trends,
    Precedence.DOUBLES,
    _not_looked_up,
    f"{FOLDS}.count_last_events:counts_looked_up",
)
# A value for every event that a run can end in.
VALUES_BY_LAST_EVENT = Fold(
    "values by last event",
    Trends,
    Precedence.ANY_SIZE,
    _not_by_last_event,
    f"{FOLDS}.fold_last_events:values_by_last_event",
)
# Each side of AND by a fold of its own, then combined by GRETA's formula.
SIDES_APART = Fold(
    "sides of AND apart",
    Trends,
    Precedence.ANY_SIZE,
    _not_sides,
    f"{FOLDS}.folded_pair:sides_apart",
    parts=lambda trends: trends.sides,
)
# One trend, or pair of trends, after the other.
MATCHES_ADDED_UP = Fold(
    "matches added up",
    Trends,
    Precedence.LISTED,
    _not_one_pattern,
    f"{FOLDS}.fold_matches:matches_added_up",
    parts=lambda trends: trends.added_up,
)
PAIRS_ADDED_UP = Fold(
    "pairs added up",
    Trends,
    Precedence.LISTED,
    _not_two_patterns,
    f"{FOLDS}.paired:pairs_added_up",
    parts=lambda trends: trends.added_up,
)
