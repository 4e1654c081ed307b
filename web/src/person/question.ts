// What a person says, as a question of the contract: wishes become rules and weights.
import type { Field } from "../show/fields";
import type { Question, Rule } from "../transport/transport";
import { isEmpty, type Effort, type State, type Wish } from "./state";

/** Factors on the distance of a feature; 'impossible' is a rule instead. */
const FACTORS: Partial<Record<Effort, number>> = { very_easy: 0.2, easy: 0.5, hard: 2, very_hard: 5 };

/** Which part of what was said: one of a field's wishes, the number of changes, or a rule given. */
export type Part =
  | { of: "field"; field: Field; part: "effort" | "way" | "range" | "levels" }
  | { of: "most" }
  | { of: "rule"; place: number };

export interface PartRule {
  part: Part;
  rule: Rule;
}

/** Every rule of a state, with the part of it that the rule is of. */
export function rulesOf(state: State, fields: Field[]): PartRule[] {
  const given = (state.options.rules ?? []).map((rule, place): PartRule => ({ part: { of: "rule", place }, rule: rule as Rule }));
  const wishes = fields.flatMap((field) => wishRules(field, state.wishes[field.name] ?? {}));
  const most: PartRule[] = state.most === null ? [] : [{ part: { of: "most" }, rule: { rule: "at most change", count: state.most, among: [] } }];
  return [...given, ...wishes, ...most];
}

function wishRules(field: Field, wish: Wish): PartRule[] {
  const rules: PartRule[] = [];
  const add = (part: "effort" | "way" | "range" | "levels", ...own: Rule[]) =>
    rules.push(...own.map((rule) => ({ part: { of: "field" as const, field, part }, rule })));
  if (wish.effort === "impossible") {
    add("effort", ...field.features.map(({ name }) => ({ rule: "fixed", name })));
  }
  if (wish.way) add("way", { rule: "monotone", name: field.name, up: wish.way === "up" });
  if (wish.low !== undefined || wish.high !== undefined) {
    add("range", { rule: "between", name: field.name, low: wish.low ?? null, high: wish.high ?? null });
  }
  if (wish.levels && !field.group) {
    add("levels", { rule: "one of", name: field.name, levels: wish.levels, other: false });
  } else if (wish.levels) {
    const barred = field.features.filter(({ name }) => !wish.levels!.includes(name));
    add("levels", ...barred.map((one) =>
      one.levels.length
        ? { rule: "one of", name: one.name, levels: [one.levels[0]!.value], other: false }
        : { rule: "between", name: one.name, low: null, high: 0 },
    ));
  }
  return rules;
}

/** The question of a state. */
export function questionOf(state: State, fields: Field[]): Question {
  const weights = fields.flatMap((field) => {
    const factor = FACTORS[state.wishes[field.name]?.effort ?? "normal"];
    return factor === undefined ? [] : field.features.map(({ name }): [string, number] => [name, factor]);
  });
  return {
    ...state.options,
    rows: [state.row],
    rules: rulesOf(state, fields).map(({ rule }) => rule) as Question["rules"],
    weights: { ...state.options.weights, ...Object.fromEntries(weights) },
  };
}

/** A state in which a field is wished otherwise; parts that are undefined are dropped. */
export function withWish(state: State, field: Field, change: Partial<Wish>): State {
  const wish: Wish = { ...state.wishes[field.name], ...change };
  const own = Object.fromEntries(Object.entries(wish).filter(([, part]) => part !== undefined)) as Wish;
  const { [field.name]: _, ...others } = state.wishes;
  return { ...state, wishes: isEmpty(own) ? others : { ...others, [field.name]: own } };
}

/** A state without one part of what was said. */
export function lifted(state: State, part: Part): State {
  if (part.of === "most") return { ...state, most: null };
  if (part.of === "rule") {
    const rules = (state.options.rules ?? []).filter((_, place) => place !== part.place);
    return { ...state, options: { ...state.options, rules } };
  }
  const change: Partial<Wish> =
    part.part === "range" ? { low: undefined, high: undefined } : { [part.part]: undefined };
  return withWish(state, part.field, change);
}

/** Whether two parts are the same. */
export function isSame(one: Part, other: Part): boolean {
  const key = (part: Part) => [part.of, "field" in part ? `${part.field.name}/${part.part}` : "", "place" in part ? part.place : ""].join();
  return key(one) === key(other);
}
