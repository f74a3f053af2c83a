"""Check of tools/lint: names that were replaced by the field's words do not come back."""

import re

# Retired identifier: its replacement.
RETIRED = {
    "Breach": "PacketViolation",
    "Calm": "QuietPhase",
    "CycleWheel": "TimingWheel",
    "DatumName": "FilterValueId",
    "ElementFate": "ElementState",
    "FillWheel": "FillTimingWheel",
    "Island": "Partition",
    "IslandContext": "PartitionContext",
    "IslandCrew": "PartitionWorkers",
    "IslandNews": "DeferredNotifications",
    "IslandObservers": "PartitionObservers",
    "IslandRange": "PartitionRange",
    "Knob": "RecordedParameter",
    "KnobBase": "RecordedParameterBase",
    "KnobNote": "UseRecord",
    "KnobUse": "UseRecord",
    "KnobVisitor": "RecordedVisitor",
    "LayoutWish": "PreferredLayout",
    "LinesAside": "TransposedLines",
    "MachineBetween": "IntermediateMachine",
    "OrderedOccupancy": "FifoOccupancy",
    "Orphan": "OnParentDeath",
    "PassEnds": "PassResults",
    "Patience": "SpinWait",
    "RunAhead": "LookAhead",
    "SlotCalendar": "ReservationTable",
    "SmSurroundings": "SmContext",
    "StallDice": "RandomStalls",
    "Surroundings": "a context, for example SmContext",
    "TurnAhead": "LookAheadQuantum",
    "TurnCrew": "SmWorkers",
    "TurnPool": "WorkerPool",
    "TurnTaker": "QuantumRunner",
    "ask_below": "send_miss",
    "asked_address": "requested_address",
    "assistant_wanted": "assistant_needed",
    "awaits_promise": "awaits_future",
    "below_free_": "port_free_",
    "breach": "violation",
    "breach_": "violation_",
    "catch_up": "synchronise",
    "catch_up_beyond": "synchronise_beyond",
    "close_refreshed": "apply_refresh",
    "datum_of": "value_id",
    "employ_threads": "start_workers",
    "four_over_": "faw_window_",
    "give_column_command": "issue_column_command",
    "give_row_commands": "issue_row_commands",
    "has_news": "set_notifications",
    "held_cycles_": "queue_full_cycles_",
    "hold_lookup": "stall_lookup",
    "hold_until": "stall_until",
    "in_turn_": "in_quantum_",
    "island": "partition",
    "island_": "partition_",
    "island_crew_": "partition_workers_",
    "islands": "partitions",
    "kAnnounced": "kPrefetchDistance",
    "kBreaches": "kPacketViolations",
    "kPatience": "kMaxCycles",
    "kWithdrawn": "kNotBegun",
    "last_promise": "last_future",
    "lay_own_writes_over": "forward_pending_writes",
    "layout_wish": "preferred_layout",
    "ldst_claim": "ldst_request",
    "ldst_grant": "grant_ldst",
    "ldst_settled": "ldst_resolved",
    "look_again": "sample_again",
    "look_at_descriptors": "read_descriptors",
    "look_at_time": "sample_time",
    "may_ask": "has_miss_slot",
    "meet_knob": "visit_recorded",
    "miss_together": "miss_line",
    "move_wanted": "move_needed",
    "newcomer": "new_warp",
    "next_of_four_": "faw_index_",
    "note_all_read": "record_uses",
    "note_possible": "acts_if",
    "note_read": "mark_used",
    "note_request": "defer_request",
    "note_return": "defer_return",
    "noted_requests_": "unresolved_requests_",
    "notes_requests": "defers_requests",
    "own_crew_": "own_workers_",
    "pass_on_news": "deliver_notifications",
    "read_past": "read_bypass",
    "reason_hangs_on_promises": "reason_depends_on_futures",
    "returned_in_turn": "returned_after_deferred",
    "row_promise_": "row_future_",
    "set_aside": "insert_overflow",
    "settle_promises": "resolve_futures",
    "settled_cycles_": "accounted_cycles_",
    "stop_running_ahead": "stop_look_ahead",
    "take_ahead": "run",
    "take_blocked": "accept_blocked",
    "take_blocked_of": "accept_blocked_of",
    "turn_due": "turnaround_due",
    "turn_in_time": "run_quantum_in_time",
    "turn_time_": "quantum_time_",
    "unit_promises_": "unit_futures_",
    "warm_host": "host_prefetch",
    "warm_host_line": "host_prefetch_line",
    "warm_host_lines": "host_prefetch_lines",
    "worth_a_look": "has_work",
}
FOLDERS = ("sc_models/", "tools/tessera/", "tests/", "testbenches/")
WORD = re.compile(r"(?<!\w)(?:%s)(?!\w)" % "|".join(map(re.escape, RETIRED)))


def problems(file):
    """The messages about the retired identifiers in a file, none for a file outside of FOLDERS."""
    if not file.startswith(FOLDERS):
        return []
    with open(file, encoding="utf-8", errors="replace") as handle:
        lines = handle.read().split("\n")
    return [f"{file}:{number}: '{match[0]}' is retired: {RETIRED[match[0]]}"
            for number, line in enumerate(lines, 1) for match in WORD.finditer(line)]


if __name__ == "__main__":
    import subprocess
    import sys
    FOUND = [problem for name in subprocess.run(["git", "ls-files", *FOLDERS], capture_output=True, text=True,
                                                check=True).stdout.splitlines()
             if name.endswith((".h", ".cpp", ".py", ".md", "CMakeLists.txt")) for problem in problems(name)]
    print("\n".join(FOUND))
    sys.exit(1 if FOUND else 0)
