// What people see as one thing: a feature, or a group of 0/1 columns that are one category.
import type { Change, FeatureCard, Histogram, Model, Row, Value } from "../transport/transport";
import { decimalsOf } from "../words/format";

export interface Option {
  value: Value;
  label: string;
}

export interface Field {
  name: string;
  label: string;
  unit: string;
  kind: "number" | "choice" | "date";
  /** The columns that it stands for: one, or those of a group. */
  features: FeatureCard[];
  group: boolean;
  ordered: boolean;
  low: Value;
  high: Value;
  step: number;
  decimals: number;
  options: Option[];
  missing: boolean;
  read: boolean;
}

const DATES = ["date", "date-time", "duration"];

/** The fields of a model: every column is in one of them. */
export function fieldsOf(model: Model): Field[] {
  const inGroup = new Map(model.groups.flatMap((group) => group.columns.map((column) => [column, group])));
  const fields: Field[] = [];
  const seen = new Set<string>();
  for (const card of model.features) {
    const group = inGroup.get(card.name);
    if (!group) {
      fields.push(single(card));
    } else if (!seen.has(group.name)) {
      seen.add(group.name);
      const columns = model.features.filter((one) => group.columns.includes(one.name));
      const options: Option[] = columns.map((one) => ({ value: one.name, label: levelLabel(one, group.name) }));
      if (group.optional) options.push({ value: null, label: "" });
      fields.push({
        ...single(card),
        name: group.name,
        label: group.label,
        kind: "choice",
        features: columns,
        group: true,
        ordered: false,
        options,
        missing: group.optional,
        read: columns.some((one) => one.read),
      });
    }
  }
  return fields;
}

function single(card: FeatureCard): Field {
  const number = card.kind === "continuous";
  return {
    name: card.name,
    label: card.label,
    unit: card.unit,
    kind: !number ? "choice" : DATES.includes(card.type) ? "date" : "number",
    features: [card],
    group: false,
    ordered: card.kind === "ordinal",
    low: card.low,
    high: card.high,
    step: card.step ?? 1,
    decimals: decimalsOf(card.step),
    options: [...card.levels, ...(card.missing && !number ? [{ value: null, label: "" }] : [])],
    missing: card.missing,
    read: card.read,
  };
}

/** What people call a column of a group: its label, or what follows the group's name. */
function levelLabel(card: FeatureCard, group: string): string {
  const own = card.label === card.name && card.name.startsWith(group);
  return (own && card.name.slice(group.length).replace(/^[\s_:=.-]+/, "")) || card.label;
}

/** The value of a field in a row; of a group, the column that is set. */
export function valueIn(field: Field, row: Row): Value {
  if (!field.group) return row[field.name] ?? null;
  return field.features.find((one) => isSet(row[one.name]))?.name ?? null;
}

/** A row with another value of a field. */
export function withValue(field: Field, row: Row, value: Value): Row {
  if (!field.group) return { ...row, [field.name]: value };
  const columns = field.features.map((one) => {
    const [unset, set] = one.levels.length ? [one.levels[0]!.value, one.levels.at(-1)!.value] : [0, 1];
    return [one.name, one.name === value ? set : unset];
  });
  return { ...row, ...Object.fromEntries(columns) };
}

function isSet(value: Value | undefined): boolean {
  return value !== null && value !== undefined && value !== false && Number(value) !== 0;
}

/** How many real rows have each level; rare ones, which share a bin, are left out. */
export function levelCounts(field: Field, histograms: Map<string, Histogram>): Map<Value, number> {
  const found = new Map<Value, number>();
  for (const card of field.features) {
    for (const { levels, low, high, count } of histograms.get(card.name)?.bins ?? []) {
      if (!field.group && levels.length === 1) found.set(levels[0]!, count);
      // The rows that set a column of a group.
      if (field.group && (levels.length === 1 ? isSet(levels[0]) : isSet(low) && low === high)) found.set(card.name, count);
    }
  }
  return found;
}

export interface FieldChange {
  field: Field;
  before: Value;
  after: Value;
  follows: boolean;
}

/** The changes of an answer, those of a group as one. */
export function changesOf(fields: Field[], changes: Change[]): FieldChange[] {
  const found: FieldChange[] = [];
  for (const field of fields) {
    const own = changes.filter((one) => field.features.some((card) => card.name === one.feature));
    const [first] = own;
    if (!first) continue;
    const column = (side: "before" | "after") => own.find((one) => isSet(one[side]))?.feature ?? null;
    found.push({
      field,
      before: field.group ? column("before") : first.before,
      after: field.group ? column("after") : first.after,
      follows: own.every((one) => one.follows),
    });
  }
  const place = (one: FieldChange) => changes.findIndex((c) => one.field.features.some((card) => card.name === c.feature));
  return found.sort((a, b) => place(a) - place(b));
}

/** A usual value of a field: the middle of the data, or the most frequent level. */
export function usualIn(field: Field, histograms: Map<string, Histogram>): Value {
  if (field.group) {
    const counts = levelCounts(field, histograms);
    return [...field.features].sort((a, b) => (counts.get(b.name) ?? 0) - (counts.get(a.name) ?? 0))[0]?.name ?? null;
  }
  const bins = histograms.get(field.name)?.bins ?? [];
  if (field.kind === "choice") {
    const [most] = bins.filter((bin) => bin.levels.length === 1).sort((a, b) => b.count - a.count);
    return most?.levels[0] ?? field.options[0]?.value ?? null;
  }
  let left = bins.reduce((sum, bin) => sum + bin.count, 0) / 2;
  const middle = bins.find((bin) => (left -= bin.count) <= 0);
  return middle?.low ?? field.low;
}

/** A row of usual values. */
export function usualRow(model: Model, fields: Field[], histograms: Map<string, Histogram>): Row {
  const carried: Row = Object.fromEntries(model.carried.map((name) => [name, null]));
  return fields.reduce((row, field) => withValue(field, row, usualIn(field, histograms)), carried);
}
