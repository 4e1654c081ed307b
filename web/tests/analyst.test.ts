import { expect, test } from "vitest";
import { widthOf } from "../src/analyst/cells";
import { binned, binnedShares, crosses, crossing, nextSize, Results, roundStep, type Summary } from "../src/analyst/results";
import { columnOf, filtered, keysOf, rowAt, sorted, tableOf, valueAt } from "../src/analyst/table";
import { completed, moved, rulesOf, shortened } from "../src/rules/caret";

/** Numbers that are the same in every run. */
function random(seed: number): () => number {
  let state = seed;
  return () => ((state = (state * 1664525 + 1013904223) >>> 0) / 2 ** 32);
}

test("a table gives back the rows that it was made of, whatever their types", () => {
  const rows = [
    { age: 3, job: "a", flag: true, mixed: 1, gap: null },
    { age: null, job: null, flag: false, mixed: "1", gap: null },
    { age: 2.5, job: "a", flag: true, mixed: true, gap: null },
  ];
  const table = tableOf(rows);
  rows.forEach((row, place) => expect(rowAt(table, place)).toEqual(row));
  expect(tableOf([])).toEqual({ count: 0, columns: [] });
});

test("only the columns that the model knows are sent", () => {
  const table = { count: 1, columns: [columnOf("age", true, [3]), columnOf("notes", false, ["x"])] };
  expect(rowAt(table, 0)).toEqual({ age: 3 });
});

test("rows are sorted by any column, equal ones as they came, gaps last both ways", () => {
  const next = random(1);
  for (let round = 0; round < 20; round++) {
    const values = Array.from({ length: 50 }, () => (next() < 0.2 ? null : Math.floor(next() * 8)));
    const column = columnOf("x", true, values);
    const every = filtered(50, []);
    for (const descending of [false, true]) {
      const order = [...sorted(every, keysOf(column, Number), descending)];
      expect([...order].sort((a, b) => a - b)).toEqual([...every]);
      const shown = order.map((row) => valueAt(column, row) as number | null);
      const known = shown.filter((one) => one !== null);
      expect(shown.slice(known.length).every((one) => one === null)).toBe(true);
      for (let i = 1; i < order.length; i++) {
        if (shown[i - 1] === shown[i]) expect(order[i - 1]).toBeLessThan(order[i]!);
      }
      expect(known).toEqual([...known].sort((a, b) => (descending ? b - a : a - b)));
    }
  }
});

test("levels are sorted by their rank", () => {
  const column = columnOf("grade", true, ["low", "high", null, "mid"]);
  const rank = (level: unknown) => ["low", "mid", "high"].indexOf(String(level));
  expect([...sorted(filtered(4, []), keysOf(column, rank), false)]).toEqual([0, 3, 1, 2]);
});

const summary = (more: Partial<Summary>): Summary => ({
  status: "found",
  prediction: 0,
  wanted: 1,
  score: 0.2,
  answers: 2,
  distance: 1.5,
  price: 2,
  changes: { age: 40 },
  uses: { age: { changed: 1, sufficient: 0.5 }, job: { changed: 0.5, sufficient: 0 } },
  ...more,
});

test("results keep what a summary says", () => {
  const results = new Results(3, ["age", "job"], [2]);
  results.put(0, summary({}));
  results.put(1, summary({ status: "infeasible", answers: 0, distance: null, price: null, changes: {}, uses: {} }));
  expect([0, 1, 2].map((row) => results.statusAt(row))).toEqual(["found", "infeasible", "wrong"]);
  expect([results.distance[0], results.changes[0], results.distance[1]]).toEqual([1.5, 1, NaN]);
  expect([results.after(0, "age"), results.after(0, "job"), results.after(1, "age")]).toEqual([40, undefined, undefined]);
  results.clear();
  expect([0, 1, 2].map((row) => results.statusAt(row))).toEqual(["waiting", "waiting", "wrong"]);
});

test("importance is the mean over answered rows, and a group counts once", () => {
  const results = new Results(3, ["age", "job_a", "job_b"]);
  results.put(0, summary({ uses: { age: { changed: 1, sufficient: 0.5 } } }));
  results.put(1, summary({ uses: { job_a: { changed: 0.5, sufficient: 0 }, job_b: { changed: 0.5, sufficient: 0 } } }));
  results.put(2, summary({ answers: 0 }));
  const found = results.importance(filtered(3, []), [0, 1, 1]);
  expect([found.answered, [...found.changed], [...found.sufficient]]).toEqual([2, [0.5, 0.25], [0.25, 0]]);
  expect(results.importance(new Uint32Array(0), [0, 1, 1]).answered).toBe(0);
});

test("bins have round ends and hold every number once", () => {
  const next = random(2);
  for (let round = 0; round < 50; round++) {
    const values = Array.from({ length: Math.ceil(next() * 300) }, () => (next() - 0.5) * 10 ** (next() * 6));
    const bins = binned([...values, NaN]);
    expect(bins.reduce((sum, one) => sum + one.count, 0)).toBe(values.length);
    expect(bins.length).toBeLessThanOrEqual(22);
    for (let i = 1; i < bins.length; i++) expect(bins[i]!.low).toBeCloseTo(bins[i - 1]!.high, 6);
  }
  expect(binned([])).toEqual([]);
  expect(binned([1, 1, 2], 12, 1).map((one) => one.count)).toEqual([2, 1]);
  expect(binnedShares([0, 0.5, 1, NaN], 2).map((one) => one.count)).toEqual([1, 2]);
  expect([0.03, 0.3, 3, 7, 0].map(roundStep)).toEqual([0.05, 0.5, 5, 10, 1]);
});

test("who crosses a threshold is counted both ways", () => {
  const scores = Float64Array.from([0.1, 0.4, 0.5, 0.6, NaN]);
  expect(crossing(scores, 0.5, 0.4)).toEqual({ reach: 3, gained: 1, lost: 0 });
  expect(crossing(scores, 0.5, 0.55)).toEqual({ reach: 1, gained: 0, lost: 1 });
  expect([...scores].map((score) => crosses(score, 0.5, 0.55))).toEqual([false, false, true, false, false]);
});

test("chunks grow while they are quick and shrink where they are slow", () => {
  expect(nextSize(10, 0.01, 2, 1000)).toBe(30);
  expect(nextSize(10, 1.6, 2, 1000)).toBe(13);
  expect(nextSize(500, 4, 2, 1000)).toBe(500);
  expect(nextSize(500, 20, 2, 1000)).toBe(50);
  expect(nextSize(900, 0.1, 2, 1000)).toBe(1000);
  expect(nextSize(1, 60, 2, 1000)).toBe(1);
});

test("a cost of every request, however small, does not make chunks small", () => {
  let size = 20;
  for (let i = 0; i < 30; i++) size = nextSize(size, 0.8 + size * 0.01, 2, 1000);
  expect(size).toBeGreaterThan(100);
  for (let i = 0; i < 30; i++) size = nextSize(size, size * 5, 2, 1000);
  expect(size).toBe(1);
});

test("columns are wide enough for their texts and never too wide", () => {
  expect(widthOf("x", ["1"])).toBe(72);
  expect(widthOf("x", ["a".repeat(10_000)])).toBe(240);
});

test("a completion replaces what was typed and leaves the caret behind it", () => {
  const offer = { start: 4, text: "only", kind: "word", label: "" } as const;
  expect(completed("age on", 6, offer)).toEqual({ text: "age only ", caret: 9 });
  expect(completed("age on increases", 6, offer)).toEqual({ text: "age only increases", caret: 9 });
});

test("the arrow keys go round a list", () => {
  expect([moved(-1, 1, 3), moved(2, 1, 3), moved(0, -1, 3), moved(-1, -1, 3), moved(-1, 1, 0)]).toEqual([0, 0, 2, 2, -1]);
});

test("rules are lines that say something, and an error does not repeat its rule", () => {
  expect(rulesOf([" age fixed ", "", "# note"])).toEqual(["age fixed"]);
  const said = "The rule 'age x' cannot be understood: after 'age', 'x' is not a verb of a rule.\n    age x\n    ^";
  expect(shortened(said)).toBe("After 'age', 'x' is not a verb of a rule.");
});
