"""What people do with the page, by mouse, by the keyboard alone, and by finger on a phone.

Each story ends by asking the user's own model: what is shown is what it says.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from playwright.sync_api import Route, expect
from tests.page.conftest import Site, Visit
from tests.page.screen import Screen, agree, changed, decided, scored, word


def test_wishes_hold_in_every_way(lender: Site, visit: Visit, kind: str) -> None:
    screen = Screen.of(visit(lender.address, kind), kind)
    first = screen.check(lender, lender.row)
    assert len(first) == 4
    assert any("education" in way["changes"] for way in first)
    screen.lock("Education")
    ways = screen.check(lender, lender.row)
    assert not any("education" in way["changes"] for way in ways)
    screen.hand.choose(screen.page.get_by_label(word("more.most")), "1")
    screen.settle()
    assert all(len(way["changes"]) == 1 for way in screen.check(lender, lender.row))
    screen.press("tool.back")
    screen.press("tool.back")
    assert screen.check(lender, lender.row) == first


def test_a_range_and_a_direction_hold_in_every_way(forest: Site, visit: Visit, kind: str) -> None:
    screen = Screen.of(visit(forest.address, kind), kind)
    screen.check(forest, forest.row)
    screen.press("card.more", label="hours_per_week")
    group = screen.page.get_by_role("group", name=word("card.range", label="hours_per_week"))
    screen.hand.write(group.get_by_label(word("card.to"), exact=True), "41")
    screen.settle()
    screen.press("card.more", label="age")
    card = screen.page.get_by_role("article").filter(has_text="age").first
    screen.hand.tick(card.get_by_role("radio", name=word("card.up")))
    screen.settle()
    ways = screen.check(forest, forest.row)
    for way in ways:
        after = changed(forest.row, way["changes"])
        assert after["hours_per_week"] <= max(41, forest.row["hours_per_week"])
        assert after["age"] >= forest.row["age"]
        assert not {"race", "gender"} & set(way["changes"])


def test_the_order_of_changes_moves_nothing_when_it_comes(forest: Site, visit: Visit) -> None:
    screen = Screen.of(visit(forest.address, "phone"), "phone")
    held: list[Route] = []
    holding = [True]
    # Later replies of the same question ask for orders, too: nobody holds these back.
    screen.page.route(
        re.compile("/plan$"),
        lambda route: held.append(route) if holding[0] else route.continue_(),
    )
    screen.lock("age")
    more = screen.button("card.more", label="hours_per_week")
    place = "one => one.getBoundingClientRect().top + window.scrollY"
    before = more.evaluate(place)
    awaited = screen.page.locator(".awaited")
    orders = awaited.count()
    assert orders >= 1
    while len(held) < orders:
        screen.page.wait_for_timeout(20)
    holding[0] = False
    for one in held:
        one.continue_()
    expect(awaited).to_have_count(0)
    assert screen.page.get_by_text(word("way.order")).count() == orders
    assert more.evaluate(place) == before


def test_where_no_way_is_left_a_wish_can_be_lifted(lender: Site, visit: Visit, kind: str) -> None:
    screen = Screen.of(visit(lender.address, kind), kind)
    locked = ["Age", "Kind of work", "Education", "Occupation", "Hours per week"]
    for label in locked:
        screen.lock(label)
    none = screen.page.locator(".panel.none")
    none.wait_for()
    assert screen.ways() == []
    lifts = none.get_by_role("button", name=word("none.button"))
    assert lifts.count() >= 1, "never an empty list"
    wish = word("wish.fixed", label="Education")
    screen.hand.press(none.get_by_role("button", name=re.compile(f".*: {wish}")))
    screen.settle()
    ways = screen.check(lender, lender.row)
    assert {name for way in ways for name in way["changes"]} == {"education"}


def test_what_if_shows_the_models_score_at_once(lender: Site, visit: Visit, kind: str) -> None:
    screen = Screen.of(visit(lender.address, kind), kind)
    screen.go("try")
    screen.hand.choose(screen.page.get_by_label("Education", exact=True), "Bachelors")
    screen.page.locator("h3", has_text="Education").wait_for()
    screen.hand.write(screen.page.get_by_label("Hours per week", exact=True), "55")
    screen.settle()
    after = changed(lender.row, {"education": "Bachelors", "hours_per_week": "55"})
    result = screen.page.locator(".result")
    result.locator("h3", has_text="Hours per week").wait_for()
    name = word("curve.label", label="Hours per week")
    assert result.get_by_role("img", name=name).count() == 1
    agree(result.locator("strong.number").first.inner_text(), scored(lender, after, 1))
    said = result.locator(".decision").inner_text()
    assert said == lender.labels[decided(lender, after)]
    screen.press("try.start")
    if decided(lender, after) == 0:
        screen.check(lender, after)
    screen.press("tool.back")
    screen.check_row(lender, lender.row)


def test_a_way_is_taken_over_as_a_start(forest: Site, visit: Visit, kind: str) -> None:
    screen = Screen.of(visit(forest.address, kind), kind)
    (way, *_) = screen.check(forest, forest.row)
    screen.hand.press(screen.page.get_by_role("button", name=word("way.try"), exact=True).first)
    screen.settle()
    after, result = changed(forest.row, way["changes"]), screen.page.locator(".result")
    assert result.locator(".decision").inner_text() == forest.labels[decided(forest, after)]
    agree(result.locator("strong.number").first.inner_text(), scored(forest, after, 1))


def test_questions_set_the_wishes(lender: Site, visit: Visit, kind: str) -> None:
    screen = Screen.of(visit(lender.address, kind), kind)
    screen.go("guide")
    choice = screen.page.locator("section.guide button.primary:enabled").first
    choice.wait_for()
    asked = 0
    while word("guide.easier") in choice.inner_text():
        screen.hand.press(choice)
        choice.wait_for()
        asked += 1
    assert 1 <= asked <= 6
    screen.press("guide.show")
    screen.check(lender, lender.row)
    assert screen.page.get_by_role("heading", name=word("cards.set")).count() == 1


def test_a_link_restores_everything(lender: Site, visit: Visit, kind: str) -> None:
    screen = Screen.of(visit(lender.address, kind), kind)
    screen.lock("Education")
    keep = screen.page.get_by_role("button", name=word("way.keep"), exact=True)
    for place in range(2):
        screen.hand.press(keep.nth(place))
    ways = screen.check(lender, lender.row)
    screen.go("kept")
    table = screen.page.get_by_role("table")
    assert table.get_by_role("columnheader").count() == 2
    screen.page.wait_for_timeout(500)  # the address follows an edit with a delay
    kept, link = table.inner_text(), screen.page.url
    assert "token" not in link
    fragment = link.partition("#")[2]
    again = Screen.of(visit(f"{lender.address}&{fragment}", kind), kind)
    assert again.check(lender, lender.row) == ways
    again.go("kept")
    assert again.page.get_by_role("table").inner_text() == kept
    again.page.wait_for_timeout(500)
    assert again.page.url == link


def test_a_saved_file_can_be_asked_again(lender: Site, visit: Visit, tmp_path: Path) -> None:
    screen = Screen.of(visit(lender.address))
    ways = screen.check(lender, lender.row)
    with screen.page.expect_download() as download:
        screen.press("tool.save")
    download.value.save_as(tmp_path / "saved.json")
    saved: dict[str, Any] = json.loads((tmp_path / "saved.json").read_text())
    assert len(saved["reply"]["rows"][0]["answers"]) == len(ways)
    base, _, token = lender.address.partition("#token=")
    head = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    said = screen.page.request.post(f"{base}v1/explain", data=saved["question"], headers=head)
    assert said.json()["rows"] == saved["reply"]["rows"]
    assert said.json()["fingerprints"] == saved["reply"]["fingerprints"]


def test_the_page_speaks_the_readers_language(lender: Site, visit: Visit) -> None:
    page = visit(lender.address, locale="de-DE")
    Screen.of(page)
    assert page.locator("html").get_attribute("lang") == "de"
    name = word("view.try", language="de")
    assert page.get_by_role("button", name=name, exact=True).count() == 1
    page.get_by_label(word("app.language", language="de")).select_option("en")
    assert page.get_by_role("button", name=word("view.try"), exact=True).count() == 1


def test_nothing_personal_is_in_any_address(lender: Site, visit: Visit) -> None:
    page = visit(lender.address)
    asked: list[str] = []
    page.on("request", lambda one: asked.append(one.url))
    screen = Screen.of(page)
    screen.lock("Education")
    screen.check(lender, lender.row)
    assert asked
    assert [url for url in asked if "?" in url or "Blue" in url] == []
