"""Why can I not see or reach the others: what net.doctor found, in sentences, each cause with the next step to take.

Knows causes by their words only; how they are found is net's business.
"""

import argparse
import asyncio
import json
import sys
from collections.abc import Mapping, Sequence

from p2pdice.cli import troubles
from p2pdice.cli.clean import CHAT_CELLS, clean
from p2pdice.cli.complaint import FAILED, OK, Complaint
from p2pdice.cli.find import address_text, as_address, as_object, described
from p2pdice.cli.language import _, ngettext
from p2pdice.cli.printing import say
from p2pdice.cli.words import listed
from p2pdice.net import doctor

PORTS = "47600:47609"


def run(options: argparse.Namespace) -> int:
    """The command: 0 if nothing is wrong, 1 if a cause was found."""
    target = None
    if options.target is not None:
        target = as_address(options.target)
        if target is None:
            raise Complaint(
                _("{value}: not an address").format(value=clean(options.target, CHAT_CELLS)),
                _("It takes HOST:PORT, as the host's screen shows it."),
            )
    report = asyncio.run(doctor.examine(target))
    causes = doctor.causes(report)
    if options.json:
        print(json.dumps(as_json(report, causes, sys.platform)))
    else:
        say([*facts(report), "", *told(causes, sys.platform)], sys.stdout)
    return FAILED if causes else OK


def as_json(report: doctor.Report, causes: Sequence[doctor.Cause], platform: str) -> dict[str, object]:
    """One object with all of it; `cause` is a stable word, `message` and `steps` are in the reader's language."""
    reached = report.reached
    return {
        "interfaces": [
            {"name": card.name, "kind": card.kind, "used": card.used, "addresses": list(card.addresses)}
            for card in report.cards
        ],
        "multicast": {"own": report.heard.own, "others": list(report.heard.others)},
        "tables": [as_object(table) for table in report.tables],
        "target": reached
        and {
            "address": address_text((reached.host, reached.port)),
            "outcome": reached.outcome,
            "seconds": round(reached.took_s, 2),
            "near": reached.near,
            "through": reached.through,
            "announced": reached.announced,
        },
        "firewall": report.firewall or None,
        "causes": [
            {"cause": cause.reason, "message": message, "steps": [step.strip() for step in steps]}
            for cause in causes
            for message, *steps in [worded(cause, platform)]
        ],
    }


def facts(report: doctor.Report) -> list[str]:
    """What was seen, line by line."""
    lines = [_("Interfaces of this computer:")]
    lines += [f"  {_card(card)}" for card in report.cards if card.kind != "down"]
    others = len(report.heard.others)
    if others:
        lines.append(
            ngettext("Multicast: {n} other address was heard.", "Multicast: {n} other addresses were heard.", others)
            .format(n=others)
        )
    elif report.heard.own:
        lines.append(_("Multicast: this computer hears itself, and nobody else."))
    else:
        lines.append(_("Multicast: nothing was heard."))
    if report.tables:
        lines += [_("Tables:"), *(f"  {described(table)}" for table in report.tables)]
    else:
        lines.append(_("Tables: none was found."))
    if report.reached:
        lines.append(_reached(report.reached))
    return lines


def _card(card: doctor.Card) -> str:
    kind = {
        "loopback": _("this computer itself"),
        "tunnel": _("a tunnel or VPN"),
        "virtual": _("virtual machines or containers"),
        "network": _("a network"),
    }[card.kind]
    form = _("{name}: {kind}; {addresses}") if card.used else _("{name}: {kind}, left out; {addresses}")
    return form.format(name=clean(card.name, CHAT_CELLS), kind=kind, addresses=listed(card.addresses))


def _reached(reached: doctor.Reached) -> str:
    where = clean(address_text((reached.host, reached.port)), CHAT_CELLS)
    if reached.outcome == "answered":
        return _("{address}: a table answers.").format(address=where)
    line, _hint = troubles.trouble(reached.outcome, {})
    return _("{address}: {problem}.").format(address=where, problem=line)


def told(causes: Sequence[doctor.Cause], platform: str) -> list[str]:
    """The causes and what to do about each."""
    if not causes:
        return [_("Nothing is wrong, as far as can be seen from here.")]
    lines: list[str] = []
    for cause in causes:
        message, *steps = worded(cause, platform)
        lines += [_("Cause: {cause}").format(cause=message), *(f"  {step}" for step in steps)]
    return lines


def worded(cause: doctor.Cause, platform: str) -> list[str]:
    """A cause in a sentence, and then the steps to take."""
    fields = {name: clean(str(value), CHAT_CELLS) for name, value in cause.fields.items()}
    return _of_the_way(cause.reason, fields, platform) or _of_multicast(cause.reason, fields, platform) or _other(cause)


def _of_the_way(reason: str, fields: Mapping[str, str], platform: str) -> list[str] | None:
    """Of one address that cannot be reached."""
    host, port = fields.get("host", ""), fields.get("port", "")
    match reason:
        case "nothing-there":
            return [
                _("{host} answers, but no game is on port {port}.").format(host=host, port=port),
                _("Has the host left? Ask for the line on the host's screen again."),
            ]
        case "firewall-refuses":
            return [
                _("A firewall on {host} refuses port {port}.").format(host=host, port=port),
                *_open(port, _("On that computer, allow it:")),
                _let_the_other_host(),
            ]
        case "firewall-drops":
            return [
                _("{host} is there, but its firewall drops port {port}.").format(host=host, port=port),
                *_open(port, _("On that computer, allow it:")),
                _let_the_other_host(),
            ]
        case "isolation":
            return [
                _("{host} is in your network, but nothing answers there.").format(host=host),
                _("If that computer is on, this network keeps devices apart, as guest networks do."),
                _hotspot(),
            ]
        case "local-network-permission":
            return [
                _("macOS may not let this terminal reach {host}, or nothing answers there.").format(host=host),
                _mac(),
                _("If it is allowed already, this network keeps devices apart, as guest networks do."),
                _hotspot(),
            ]
        case "vpn":
            return [
                _("The way to {host} leads into a VPN.").format(host=host),
                _("Turn the VPN off while you play, or let it leave the local network alone."),
            ]
        case "wrong-subnet":
            return [
                _("{host} is not in any network of this computer.").format(host=host),
                _("Connect both to the same network, then use the line on the host's screen."),
            ]
        case "denied":
            return [
                _("This computer itself does not allow the connection."),
                _("Look at its firewall, or turn off a VPN that blocks all else."),
                *([_windows()] if platform == "win32" else []),
            ]
        case "frozen":
            return [
                _("{host} takes the connection, but the game there does not answer.").format(host=host),
                _("Is that computer asleep, or the game stopped? Wake it up, then join again."),
            ]
        case "missing-zone":
            return [
                _("A link-local address needs the interface it is meant for."),
                _("Add it, for example fe80::1%wlan0, or use another address of that computer."),
            ]
        case _:
            return None


def _of_multicast(reason: str, fields: Mapping[str, str], platform: str) -> list[str] | None:
    """Of tables that cannot be seen, and of networks as a whole."""
    by_address = _("Joining works all the same with the line on the host's screen: p2pdice join HOST:PORT")
    match reason:
        case "no-network":
            return [_("This computer has no network."), _("Connect it to the network that the others are on.")]
        case "no-interface":
            return [_("There is no network on which to announce or find tables."), by_address]
        case "mdns-port-busy":
            return [
                _("Another program keeps port 5353 for itself, so tables can be neither announced nor found."),
                _("Close that program."),
                by_address,
            ]
        case "failed":
            return [_("Tables can be neither announced nor found on this network."), by_address]
        case "multicast-blocked":
            return [
                _("What others announce does not get in: this computer drops what comes to port 5353."),
                *_open("5353", _("Allow it:"), fields.get("firewall", ""), protocol="udp"),
                *_platform(platform),
                by_address,
            ]
        case "not-announced":
            return [
                _("The table answers, but its announcements do not arrive: this network filters multicast."),
                _("This line works: {line}").format(
                    line="p2pdice join " + address_text((fields["host"], int(fields["port"])))
                ),
            ]
        case "alone":
            return [
                _("Nobody else was heard on this network."),
                _("Either nobody has opened a table, or the network keeps devices apart, as guest networks do."),
                *_platform(platform),
                by_address,
                _hotspot(),
            ]
        case _:
            return None


def _other(cause: doctor.Cause) -> list[str]:
    line, hint = troubles.trouble(cause.reason, cause.fields)
    return [f"{line.rstrip('.')}.", hint]


def _open(port: str, heading: str, firewall: str = "", protocol: str = "tcp") -> list[str]:
    """The lines that open a port; for the firewall that is known to be on, else for the usual two."""
    usual = 47600 <= int(port) <= 47609 if port.isdigit() else False
    ports = PORTS if usual else port
    lines = {
        "ufw": [f"    sudo ufw allow {ports}/{protocol}"],
        "firewalld": [f"    sudo firewall-cmd --permanent --add-port={ports.replace(':', '-')}/{protocol}",
                      "    sudo firewall-cmd --reload"],
    }
    chosen = lines[firewall] if firewall else [line for each in lines.values() for line in each]
    return [heading, *chosen]


def _platform(platform: str) -> list[str]:
    match platform:
        case "darwin":
            return [_mac()]
        case "win32":
            return [_windows()]
        case _:
            return []


def _mac() -> str:
    return _("On macOS, allow your terminal under System Settings, Privacy & Security, Local Network.")


def _windows() -> str:
    return _("On Windows, set this network to private: a public one lets nothing in. Or let the other person host.")


def _let_the_other_host() -> str:
    return _("Or let another person host: who joins needs no open port.")


def _hotspot() -> str:
    return _("Use a phone's hotspot or a cable, or one network for all.")
