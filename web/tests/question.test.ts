import { describe, expect, test } from "vitest";
import { freshState, readState, type State } from "../src/person/state";
import { isSame, lifted, questionOf, rulesOf, withWish } from "../src/person/question";
import { answered, nextPair, pairKey, suggestedChanges } from "../src/person/guide";
import { changesOf, fieldsOf, levelCounts, usualRow, valueIn, withValue } from "../src/show/fields";
import { pack, unpack } from "../src/app/fragment";
import { session, way } from "./session";

const { fields } = session;
const field = (name: string) => fields.find((one) => one.name === name)!;
const fresh = () => freshState(session);

describe("fields", () => {
  test("a group of columns is one field, and every column is in one", () => {
    expect(fields.map((one) => one.name)).toEqual(["income", "job", "home"]);
    expect(fields.flatMap((one) => one.features.map((card) => card.name))).toEqual(session.model.features.map((one) => one.name));
    expect(field("home").options.map((one) => one.label)).toEqual(["own", "rent"]);
    expect(fieldsOf(session.model)).toEqual(fields);
  });

  test("a value that is set is read back, and nothing else changes", () => {
    for (const one of fields) {
      const values = one.kind === "choice" ? one.options.map((option) => option.value) : [1, 2];
      for (const value of values) {
        const row = withValue(one, session.first, value);
        expect(valueIn(one, row)).toEqual(value);
        for (const other of fields) if (other !== one) expect(valueIn(other, row)).toEqual(valueIn(other, session.first));
      }
    }
  });

  test("the changes of a group's columns are one change", () => {
    const changes = changesOf(fields, way({ home_own: [0, 1], home_rent: [1, 0] }).changes);
    expect(changes.map(({ field: { name }, before, after }) => [name, before, after])).toEqual([["home", "home_rent", "home_own"]]);
  });

  test("usual values are the middle of numbers and the most frequent level", () => {
    expect(usualRow(session.model, fields, session.histograms)).toEqual({ income: 30, job: "b", home_own: 0, home_rent: 1 });
    expect([...levelCounts(field("home"), session.histograms)]).toEqual([["home_own", 40], ["home_rent", 60]]);
  });
});

describe("wishes", () => {
  const wishes: [string, Parameters<typeof withWish>[2]][] = [
    ["income", { effort: "impossible" }],
    ["income", { way: "up" }],
    ["income", { low: 10, high: 20 }],
    ["job", { levels: ["a"] }],
    ["home", { levels: ["home_own"] }],
    ["home", { effort: "impossible" }],
  ];

  test("every wish is a rule, and lifting it leads back", () => {
    for (const [name, wish] of wishes) {
      const state = withWish(fresh(), field(name), wish);
      const rules = rulesOf(state, fields);
      expect(rules.length, JSON.stringify(wish)).toBeGreaterThan(0);
      expect(rules.every(({ part }) => isSame(part, rules[0]!.part))).toBe(true);
      expect(lifted(state, rules[0]!.part)).toEqual(fresh());
    }
  });

  test("wishes of several fields do not touch each other", () => {
    const all = wishes.reduce((state, [name, wish]) => withWish(state, field(name), wish), { ...fresh(), most: 2 } as State);
    for (const { part } of rulesOf(all, fields)) {
      const left = rulesOf(lifted(all, part), fields);
      expect(left.some((one) => isSame(one.part, part))).toBe(false);
      expect(left.length).toBe(rulesOf(all, fields).filter((one) => !isSame(one.part, part)).length);
    }
  });

  test("how hard a change is becomes a weight of every column, and nothing else", () => {
    const state = withWish(withWish(fresh(), field("home"), { effort: "hard" }), field("job"), { effort: "very_easy" });
    const question = questionOf(state, fields);
    expect(question.weights).toEqual({ home_own: 2, home_rent: 2, job: 0.2 });
    expect(question.rules).toEqual([]);
  });

  test("the options that the page started with are asked again", () => {
    const state: State = { ...fresh(), options: { k: 3, target: "yes", rules: ["job fixed"], weights: { income: 7 } } };
    const question = questionOf(withWish(state, field("income"), { way: "down" }), fields);
    expect(question).toMatchObject({ k: 3, target: "yes", weights: { income: 7 }, rows: [session.first] });
    expect(question.rules).toEqual(["job fixed", { rule: "monotone", name: "income", up: false }]);
  });
});

describe("links", () => {
  test("a state is the same after a link", () => {
    const state = withWish({ ...fresh(), most: 2, draft: { ...session.first, income: 44 } }, field("job"), { levels: ["a"], effort: "hard" });
    expect(readState(unpack(pack(state)), session)).toEqual(state);
  });

  test("nothing of a hostile link is believed", () => {
    const hostile = {
      row: { income: { toString: 1 }, job: "<img src=x onerror=alert(1)>", other: 1 },
      wishes: { income: { effort: "x", low: [], way: "up" }, nobody: { effort: "easy" }, job: "text", __proto__: null },
      most: -3,
      kept: [{ row: {} }, null, 7],
      draft: "no",
    };
    const state = readState(JSON.parse(JSON.stringify(hostile)), session);
    expect(state.row).toEqual({ ...session.first, job: hostile.row.job });
    expect(state).toMatchObject({ wishes: { income: { way: "up" } }, most: null, kept: [], draft: null });
    for (const wrong of [null, 7, "x", [], [1]]) expect(readState(wrong, session)).toEqual(fresh());
  });
});

describe("the guided dialogue", () => {
  const reply = { answers: [way({ income: [10, 40] }), way({ job: ["a", "b"], home_own: [0, 1], home_rent: [1, 0] })] };
  const changes = suggestedChanges(reply as never, fields);

  test("no pair is asked twice, and fields come up alike", () => {
    const asked: string[] = [];
    for (let pair = nextPair(changes, asked); pair; pair = nextPair(changes, asked)) asked.push(pairKey(...pair));
    expect(asked.length).toBe(3);
    expect(new Set(asked).size).toBe(3);
  });

  test("answers shift how hard a change is, between very easy and very hard", () => {
    let state = fresh();
    const pair = nextPair(changes, [])!;
    const [one, other] = pair.map((change) => change.field.name) as [string, string];
    for (let i = 0; i < 5; i++) state = answered(state, pair, "first");
    expect([state.wishes[one]?.effort, state.wishes[other]?.effort]).toEqual(["very_easy", "very_hard"]);
    expect(answered(state, pair, "same")).toBe(state);
    expect(answered(state, pair, "not_first").wishes[one]?.effort).toBe("impossible");
    expect(answered(answered(fresh(), pair, "first"), pair, "second")).toEqual(fresh());
  });
});
