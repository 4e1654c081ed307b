"""The validator's report: one page that opens offline.

Scope, what was left out, measures with intervals, curves and tests, features, protected flips,
further tables, and how to run it again.
"""

from __future__ import annotations

from html import escape

import pandas as pd

from ifonly.errors import MissingExtra
from ifonly.fairness.compared import OVERALL
from ifonly.fairness.data import AuditData
from ifonly.fairness.measures import MEASURES
from ifonly.fairness.report.findings import findings, worst_and_best
from ifonly.fairness.report.wording import TITLES, apart_by, between, number, p_text
from ifonly.render import page_parts as pages
from ifonly.render import plot_curves
from ifonly.render.page_parts import Section, listed, not_run, picture, table, text

COST = (
    "the distance of the nearest answer: of numbers, the mean over them of the change divided by "
    "the median absolute deviation in the data; and of categories, the share that changes"
)


NO_BIAS = (
    " That is no sign of bias by itself: who has less to begin with needs more. It says where "
    "recourse is hard, or missing."
)


TESTED = {
    "difference": "others less group",
    "p": "p by permutations",
    "p_holm": "p after Holm",
}
"""The columns of the tests, as the page names them."""


def page(audit: AuditData) -> str:
    """The whole page of an audit."""
    lead = "".join(f'<p class="note">{line}</p>' for line in findings(audit))
    sections = [
        Section("scope", "Scope", [_scope(audit)]),
        Section("left-out", "Left out, drawn, not measured", [_left_out(audit)]),
        *(_group_section(audit, name) for name in audit.record["groups"]),
        Section("worst", "Where it is worst", _worst_subgroups(audit)),
        Section("actions", "Few actions for everybody", _few_actions(audit)),
        Section("again", "Run it again", _again(audit)),
    ]
    return pages.page("Is recourse equal?", lead, sections)


def _scope(audit: AuditData) -> str:
    record = audit.record
    asked = {
        "Model": f"{record.get('model', '')} (fingerprint {record.get('model_fingerprint', '')})",
        "Wanted outcome": record["target"],
        "Rows audited": f"{record['rows']:,} (fingerprint {record['rows_fingerprint']})",
        "Data": f"{record['data_rows']:,} training rows" if record.get("data_rows") else None,
        "Features": f"fingerprint {record.get('space_fingerprint', '')}",
        "Rules": "; ".join(record.get("rules", ())) or "none: every feature may change",
        "Causes": record.get("causes"),
        "Threshold": record.get("threshold"),
        "Method": f"{record.get('method')}, k = {record.get('k')}",
        "Proofs": "asked for every row"
        if record.get("certify")
        else "of rows without an answer, as far as limits of work and the budget go",
        "Plausible": record.get("plausible"),
        "Robust": record.get("robust"),
        "Margin": record.get("margin") or None,
        "Budget": record.get("budget") or None,
        "Weights": record.get("weights") or None,
        "Cost": COST + (", with these weights" if record.get("weights") else ""),
        "Tolerance": record.get("tolerates"),
        "Intervals": f"95 %, {record['draws']:,} bootstrap draws of the rows of each group",
        "Tests": f"{record['permutations']:,} permutations; Holm over {len(audit.tests)} "
        f"comparison{'s' * (len(audit.tests) != 1)} of groups",
        "Seed": record.get("seed"),
        "Versions": f"ifonly {record.get('ifonly')}, Python {record.get('python')}",
    }
    lines = [(name, str(value)) for name, value in asked.items() if value is not None]
    return table(pd.DataFrame(lines, columns=["", "what was audited"]))


def _left_out(audit: AuditData) -> str:
    return listed(audit.notes) or text("Nothing: every row was asked, every group compared.")


def _group_section(audit: AuditData, attribute: str) -> Section:
    """All about the groups of an attribute."""
    own = audit.curves[audit.curves["attribute"] == attribute]
    try:
        drawn = plot_curves.svg(plot_curves.figure(own, attribute))
        caption = (
            "The share of each group's refused rows with an answer within a budget, "
            "with 95 % intervals. A lower curve is worse."
        )
        known, most = len(audit.record["groups"][attribute]), plot_curves.MOST
        if known > most:
            caption += f" Of {known} groups, the {most} whose curves are furthest apart are drawn."
        curves = picture(drawn, f"curves-{_slug(audit, attribute)}", caption)
    except MissingExtra as error:
        curves = not_run("the curves need matplotlib.", error.hint)
    tests = audit.tests[audit.tests["attribute"] == attribute].drop(columns="attribute")
    tests = tests.assign(
        difference=[f"{value:+.3f}" for value in tests["difference"]],
        budget=[number(value) for value in tests["budget"]],
        p=[p_text(value) for value in tests["p"]],
        p_holm=[p_text(value) for value in tests["p_holm"]],
    ).rename(columns=TESTED)
    told = (
        "The largest difference between the curve of a group and that of all other rows, at the "
        "budget where it is. Above 0, the group is worse off. p is that of a permutation test, "
        "then corrected for all groups tested. The search for subgroups below compares groups by a "
        "test of its own, corrected for many more comparisons: its p-values are others."
    )
    parts = [
        table(_measures(audit, attribute), _CAPTION, "claims"),
        text(_flips(audit, attribute)),
        curves,
        table(tests, told),
        *_features(audit, attribute),
    ]
    return Section(f"group-{_slug(audit, attribute)}", f"Groups by {attribute}", parts)


_CAPTION = (
    "Each measure with its 95 % interval. ▾ marks the worst group where its interval and that of "
    "the best do not overlap. ∞: nobody, or too few, are reached. —: not measured. A largest "
    "difference is never below 0, so that its interval cannot show that groups are equal."
)


def _measures(audit: AuditData, attribute: str) -> pd.DataFrame:
    """A line per measure, a column per group, then the largest difference and the ratio."""
    own = audit.measures[audit.measures["attribute"] == attribute]
    apart = audit.differences[audit.differences["attribute"] == attribute].set_index("measure")
    sizes = audit.sizes[audit.sizes["attribute"] == attribute].set_index("group")
    lines = []
    for count, title in (("rows", "rows"), ("refused", "refused rows searched")):
        lines.append({"measure": title, **{str(g): f"{n:,}" for g, n in sizes[count].items()}})
    for name in dict.fromkeys(own["measure"]):
        one = own[own["measure"] == name].set_index("group")
        ends = worst_and_best(one, MEASURES[name])
        worst = None if ends is None else ends[0]
        far = apart.loc[name]
        lines.append(
            {
                "measure": TITLES[name].format(**audit.record),
                **{
                    str(group): between(name, *line) + (" ▾" if group == worst else "")
                    for group, *line in one[["value", "low", "high"]].itertuples()
                },
                "difference": apart_by(name, far["difference"], far["low"], far["high"]),
                "ratio": number(far["ratio"]),
            }
        )
    return pd.DataFrame(lines).fillna("")


def _flips(audit: AuditData, attribute: str) -> str:
    own = audit.by_group.loc[attribute]
    if "flips" not in own or not own["flips"].notna().any():
        return ""
    said = (
        f"Protected flips: other values of {attribute} alone, everything else kept, give the "
        "wanted outcome to the share of refused rows in the line 'flipped by the attribute alone'."
    )
    causal = " The line below it lets follow from it what the causal model says."
    return said + causal * ("flips_causal" in own)


def _features(audit: AuditData, attribute: str) -> list[str]:
    """What nearest answers change, what each feature does alone, and the reasons, by group."""
    own = audit.features[audit.features["attribute"] == attribute]
    told = {
        "changed": "How often the nearest answer changes each feature, of the rows reached.",
        "responsive": "Responsiveness: the mean share of the values of each feature that alone, "
        "and under the rules, give the wanted outcome.",
        "reason": "Reasons: of how many refused rows each feature is one of at most four principal "
        "reasons, whether or not the rules let it change.",
    }
    parts = []
    for name, caption in told.items():
        ends = own[[name, f"{name}_low", f"{name}_high"]].itertuples(index=False)
        shown = own.assign(shown=[between(name, *line) for line in ends])
        most = own.dropna(subset=[name]).groupby("feature", sort=False)[name].max()
        order = most.sort_values(ascending=False, kind="stable").index
        wide = shown.pivot(index="feature", columns="group", values="shown").loc[order]
        wide = wide[list(dict.fromkeys(own["group"]))].rename_axis(columns=None)
        parts.append(table(wide.reset_index(), caption))
    return parts


def _worst_subgroups(audit: AuditData) -> list[str]:
    """The worst subgroups of each attribute; by curves, with the actions that suit both sides."""
    parts = []
    for search in audit.further.searched:
        who = f"Groups by {search.attribute}" if search.attribute else "All subgroups"
        than = "the others under the same conditions" if search.attribute else "all other rows"
        by = "whether there is an answer at all" if search.by == "reach" else "what answers cost"
        sure = len(search.alarms)
        parts.append(f"<h3>{escape(who)}, by {by}</h3>")
        parts.append(
            text(
                f"Each is compared with {than}: {search.comparisons:,} comparisons, {sure or 'no'} "
                f"difference{'s' * (sure != 1)} that chance does not explain at the "
                f"{search.level:.0%} level after Holm's correction."
                f"{NO_BIAS * (not search.attribute)}{' Listed here:' * bool(sure)}"
            )
        )
        lines = "".join(
            f"<li>{escape(one.sentence)}"
            f"{listed(act.sentence for act in actions) if search.by == 'curve' else ''}</li>"
            for one, actions in audit.further.advised(search)[:sure]
        )
        parts.append(f'<ul class="note">{lines}</ul>' if lines else "")
    return parts or [text("No row is refused.")]


def _few_actions(audit: AuditData) -> list[str]:
    """Sets of actions by size and group, the actions, and who takes which."""
    tables, few = audit.further.tables(), audit.further.few
    if few is None or "few_actions" not in tables:
        return [text("No action in common was found.")]
    lines = tables["few_actions"]
    who = lines["attribute"].where(lines["group"] == "", lines["attribute"] + " = ")
    lines = lines.assign(who=(who + lines["group"]).replace("", "all refused rows"))
    shown = [
        f"{between('effectiveness', share)} at {number(cost)}"
        for share, cost in zip(lines["effectiveness"], lines["mean_cost"], strict=True)
    ]
    wide = lines.assign(shown=shown).pivot(index="who", columns="actions", values="shown")
    wide = wide.loc[list(dict.fromkeys(lines["who"]))].rename_axis(columns=None)
    told = (
        "Of s actions that are the same for everybody, each row takes the cheapest that works: the "
        "share of rows for which one does, and their mean cost."
    )
    largest = few.sets[-1]
    tree = audit.further.tree
    return [
        table(wide.rename_axis("s =").reset_index().rename(columns=str), told),
        text(f"The {len(largest.texts)} actions, the first s of which need not be those of s:"),
        listed(largest.texts),
        *(
            []
            if tree is None
            else [text("Who takes which:"), listed(leaf.sentence for leaf in tree.leaves)]
        ),
    ]


def _again(audit: AuditData) -> list[str]:
    record = audit.record
    seconds = ", ".join(f"{name} {value:.1f} s" for name, value in record["seconds"].items())
    return [
        f"<pre><code>{escape(record['command'])}</code></pre>",
        text(
            "The same model, rows, options and seed give the same audit; the fingerprints under "
            f"Scope tell them from others. Time: {seconds}."
        ),
    ]


def _slug(audit: AuditData, attribute: str) -> int:
    """A name of an attribute for links: names may hold anything."""
    return [OVERALL, *audit.record["groups"]].index(attribute)
