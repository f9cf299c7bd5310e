"""Each threat of protocol.md section 11 and the tests that show what meets it. A row without a test, or a test that is
gone, fails here."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SHOWN_BY = {
    "chooses its dice, or searches for shares": (
        "protocol/test_session: test_a_searched_share_buys_nothing, test_dice_of_real_sessions_are_uniform",
        "protocol/test_cheats: test_another_public_share_convicts, test_other_dice_in_the_showdown_convict"),
    "copies another's commitment": ("protocol/test_cheats: test_copied_commitments_cannot_be_opened",),
    "reuses bodies or shares of another game, round or branch": (
        "protocol/test_cheats: test_messages_of_the_last_round_count_for_nothing, "
        "test_bodies_of_another_game_are_refused",
        "protocol/test_zoo: test_shares_of_a_void_round_are_of_no_use_in_the_next",
        "fairness/test_shares: test_a_commitment_binds_its_place"),
    "opens early, commits late": (
        "protocol/test_cheats: test_opening_before_all_have_committed_is_refused",
        "protocol/test_session: test_the_state_names_every_commitment_before_any_share_is_opened"),
    "guesses dice from a commitment": ("fairness/test_shares: test_a_commitment_binds_its_place",),
    "tells different players different things": (
        "protocol/test_zoo: test_whoever_says_two_things_is_convicted",
        "protocol/test_cheats: test_two_bodies_for_one_slot_convict_wherever_they_meet"),
    "sends a wrong box, or complains of a good one": (
        "protocol/test_cheats: test_a_wrong_box_convicts_its_sender, test_a_false_complaint_convicts_its_author, "
        "test_a_foreign_key_in_a_complaint_convicts_its_author",
        "protocol/test_zoo: test_the_second_word_on_a_box_convicts"),
    "looks under its own cup in an open round, or any in a closed one": (
        "fairness/test_shares: test_every_coalition_knows_exactly_what_the_mode_allows",
        "protocol/test_session: test_no_other_peer_receives_what_a_cup_is_made_of, "
        "test_a_paso_doubted_opens_one_cup_only"),
    "wins the race for an exact call, or looks first": (
        "protocol/test_session: test_the_same_call_wins_in_every_order",
        "protocol/test_cheats: test_a_seal_of_a_doubt_does_not_show_before_the_answers",
        "protocol/test_sealed_search: test_every_state_of_a_sealed_turn"),
    "changes its mind after the others have shown": (
        "protocol/test_cheats: test_a_changed_mind_after_a_seal_convicts",),
    "makes keys, names or boxes until seat or lot suits": (
        "protocol/test_zoo: test_a_key_that_was_searched_for_gets_no_better_seat",
        "protocol/test_lobby: test_three_failed_tosses_close_the_table"),
    "shows different rosters or rules": ("protocol/test_lobby: test_a_guest_signs_no_roster_but_its_own",),
    "stands between two players": (
        "net/test_channel: test_a_relay_with_its_own_certificate_fails, test_a_replayed_exchange_is_refused, "
        "test_a_channel_to_oneself_is_refused_on_both_ends",
        "protocol/test_roomcode: test_the_exchange_is_bound_to_channel_keys_and_roles"),
    "guesses the room code": (
        "protocol/test_roomcode: test_ten_guesses_make_a_new_code, test_an_exchange_allows_one_guess_and_not_another, "
        "test_a_stranger_sees_that_there_is_a_table_and_nothing_else",),
    "uses a weak key, a second form of a signature or of a body": (
        "fairness/test_keys: test_all_weak_keys_are_refused, test_malleable_signatures_are_refused, "
        "test_unusable_one_round_keys_are_refused",
        "protocol/test_codec: test_what_must_be_refused",
        "net/test_channel: test_a_weak_key_is_refused_by_the_listener"),
    "makes honest players look guilty": (
        "protocol/test_soundness: test_honest_bodies_prove_nothing, test_a_complaint_convicts_nobody_but_a_liar",
        "protocol/test_cheats: test_evidence_that_proves_nothing_is_refused",
        "protocol/test_drops: test_nobody_honest_is_ever_convicted_by_votes"),
    "edits, cuts or reorders a record": (
        "protocol/test_audit: test_each_entry_dropped_doubled_or_swapped_is_named, test_no_changed_byte_is_ever_clean, "
        "test_each_cut_is_incomplete_and_says_where, "
        "test_each_entry_dropped_doubled_or_swapped_is_found_with_the_chain_mended",),
    "is silent when it must speak, or leaves": (
        "protocol/test_drops: test_a_silent_player_is_dropped, test_a_leaver_needs_no_vote, "
        "test_of_two_a_silent_one_ends_the_game",
        "protocol/test_zoo: test_a_withheld_share_costs_its_holder_the_seat, "
        "test_a_host_that_dies_takes_its_bots_along",
        "games/test_losses: test_the_host_is_killed_in_mid_round_and_then_two_more"),
    "says that others are silent": (
        "protocol/test_drops: test_a_halt_in_which_nobody_is_missing_costs_no_round",
        "protocol/test_zoo: test_an_accomplice_that_names_nobody_saves_nobody",
        "protocol/test_ballot_search: test_every_state_of_small_tables"),
    "cuts the table in two": (
        "protocol/test_drops: test_three_against_three_pause_and_heal, "
        "test_four_go_on_without_two_who_follow_when_they_come_back",),
    "votes both ways, or hides a vote": (
        "protocol/test_halts_abused: test_two_certificates_of_one_halt_end_the_game_as_forked, "
        "test_who_breaks_what_it_promised_is_convicted, "
        "test_a_halt_that_each_reader_gets_another_of_holds_nobody_up, "
        "test_who_is_told_first_what_fits_nowhere_follows_all_the_same",),
    "says that it has signed, and sends nothing, or what fits nowhere": (
        "protocol/test_halts_abused: test_who_says_it_signed_and_sends_nothing_is_dropped, "
        "test_who_says_what_fits_nowhere_is_dropped, "
        "test_who_keeps_back_what_only_some_have_missed_is_dropped",),
    "halts where nobody has been, or names votes that nobody has": (
        "protocol/test_halts_abused: test_a_halt_that_nobody_can_read_is_a_missing_one, "
        "test_a_halt_that_names_what_is_not_there_is_a_missing_one, "
        "test_a_leave_that_names_what_is_not_there_holds_nobody_up",),
    "halts again and again": (
        "protocol/test_halts_abused: test_who_halts_without_end_gets_less_and_less_time, "
        "test_whoever_has_no_dice_halts_nobody",),
    "makes evidence against itself without end": (
        "protocol/test_halts_abused: test_evidence_without_end_against_one_does_not_keep_others_apart, "
        "test_evidence_too_long_for_a_record_is_refused",),
    "watches, to see dice early, hold the game up or speak for a seat": (
        "protocol/test_watching: test_no_watcher_receives_what_a_cup_is_made_of, "
        "test_only_one_frame_is_out_at_a_time, test_whatever_else_a_watcher_sends_costs_the_link",),
    "floods the port or a link": (
        "games/test_doors: test_a_game_goes_on_while_all_kinds_of_strangers_flood_the_port, "
        "test_one_flooding_player_does_not_stop_the_others",
        "net/test_mesh: test_a_flood_of_frames_is_slowed_down_not_lost, test_links_are_capped",
        "net/test_channel: test_a_megabyte_before_the_proof_is_refused_at_its_header, test_a_slow_stranger_is_dropped"),
    "writes escapes or look-alikes into names and chat": (
        "cli/test_hostile: test_plain_mode_is_inert, test_json_is_inert, test_the_panel_is_inert, "
        "test_a_real_terminal_is_not_moved_by_them",
        "cli/test_clean: test_hostile_text_comes_out_inert"),
}


def threats() -> list[str]:
    """The rows of the table in protocol.md section 11."""
    text = (ROOT / "protocol.md").read_text(encoding="utf-8")
    section = text.split("\n## 11. ")[1].split("\n## ")[0]
    rows = [line for line in section.splitlines() if line.startswith("|")][2:]
    return [row.split("|")[1].strip() for row in rows]


def test_every_threat_has_tests() -> None:
    """The table and this file name the same threats, in one order."""
    assert threats() == list(SHOWN_BY)


@pytest.mark.parametrize("threat", SHOWN_BY)
def test_they_are_there(threat: str) -> None:
    """Each test named exists under that name, and asserts something or calls what does."""
    for group in SHOWN_BY[threat]:
        file, names = group.split(": ")
        tree = ast.parse((ROOT / "tests" / f"{file}.py").read_text(encoding="utf-8"))
        found = {node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}
        assert set(names.split(", ")) <= found
