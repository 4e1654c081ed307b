// A small model to test with: a number, a category, and a group of two columns.
import type { Session } from "../src/app/session";
import { fieldsOf } from "../src/show/fields";
import type { FeatureCard, Histogram, Model, Value, Way } from "../src/transport/transport";

function card(name: string, own: Partial<FeatureCard>): FeatureCard {
  const empty = { unit: "", low: null, high: null, step: null, levels: [], missing: false, fillable: false, erasable: false, read: true };
  return { name, label: name, kind: "continuous", type: "integer", ...empty, ...own };
}

const model = {
  features: [
    card("income", { label: "Income", unit: "EUR", low: 0, high: 100, step: 1 }),
    card("job", { kind: "categorical", type: "string", levels: [{ value: "a", label: "A" }, { value: "b", label: "B" }] }),
    card("home_own", { low: 0, high: 1, step: 1 }),
    card("home_rent", { low: 0, high: 1, step: 1 }),
  ],
  groups: [{ name: "home", label: "Home", columns: ["home_own", "home_rent"], optional: false }],
  carried: [],
  task: "classification",
  classes: [{ value: "no", label: "no" }, { value: "yes", label: "yes" }],
  scores: "probability",
  threshold: 0.5,
  rules: [],
} as unknown as Model;

function histogram(feature: string, bins: [Value, Value, number][]): [string, Histogram] {
  return [feature, { feature, missing: null, bins: bins.map(([low, high, count]) => ({ low, high, count, levels: [] })) }];
}

export const session = {
  inNotebook: false,
  start: {},
  model,
  fields: fieldsOf(model),
  histograms: new Map([
    histogram("income", [[0, 29, 40], [30, 59, 40], [60, 100, 20]]),
    ["job", { feature: "job", missing: null, bins: [["a", 30], ["b", 70]].map(([level, count]) => ({ levels: [level], count })) }] as unknown as [string, Histogram],
    histogram("home_own", [[0, 0, 60], [1, 1, 40]]),
    histogram("home_rent", [[0, 0, 40], [1, 1, 60]]),
  ]),
  fixed: new Set<string>(),
  first: { income: 10, job: "a", home_own: 0, home_rent: 1 },
  given: true,
} as unknown as Session;

/** An answer with some changes, each [before, after]. */
export function way(changes: Record<string, [Value, Value]>): Way {
  const own = Object.entries(changes).map(([feature, [before, after]]) => ({ feature, before, after, follows: false }));
  return { changes: own } as unknown as Way;
}
