// A table by columns: typed arrays, so that 100,000 rows are small and quick to sort and filter.
import type { Row, Value } from "../transport/transport";

export interface Column {
  name: string;
  /** Whether rows of the model have it. */
  known: boolean;
  /** Numbers, NaN where there is none; or the place of each value among `levels`. */
  data: Float64Array;
  /** Of a column that is not of numbers alone: its distinct values. */
  levels: Value[] | null;
}

export interface Table {
  count: number;
  columns: Column[];
}

/** A column of values; one of numbers and gaps alone is kept as numbers. */
export function columnOf(name: string, known: boolean, values: ArrayLike<Value>): Column {
  const data = new Float64Array(values.length);
  const numbers = isNumeric(values);
  if (numbers) {
    for (let i = 0; i < data.length; i++) data[i] = (values[i] as number | null) ?? NaN;
    return { name, known, data, levels: null };
  }
  const places = new Map<Value, number>();
  for (let i = 0; i < data.length; i++) {
    const value = values[i] ?? null;
    let place = places.get(value);
    if (place === undefined) places.set(value, (place = places.size));
    data[i] = place;
  }
  return { name, known, data, levels: [...places.keys()] };
}

function isNumeric(values: ArrayLike<Value>): boolean {
  let any = false;
  for (let i = 0; i < values.length; i++) {
    const value = values[i] ?? null;
    if (value === null) continue;
    if (typeof value !== "number") return false;
    any = true;
  }
  return any;
}

/** The table of rows that have the same names. */
export function tableOf(rows: Row[]): Table {
  const names = Object.keys(rows[0] ?? {});
  const columns = names.map((name) =>
    columnOf(
      name,
      true,
      rows.map((row) => row[name] ?? null),
    ),
  );
  return { count: rows.length, columns };
}

export function valueAt(column: Column, row: number): Value {
  const code = column.data[row] ?? NaN;
  if (column.levels) return column.levels[code] ?? null;
  return Number.isNaN(code) ? null : code;
}

/** A row as the contract takes it: the columns that the model knows. */
export function rowAt(table: Table, row: number): Row {
  const found: Row = {};
  for (const column of table.columns) if (column.known) found[column.name] = valueAt(column, row);
  return found;
}

/** What sorts the rows of a column: numbers themselves, levels by `rank`. */
export function keysOf(column: Column, rank: (level: Value) => number | string): Float64Array {
  if (!column.levels) return column.data;
  const ranks = column.levels.map((level, place) => ({ place, by: level === null ? null : rank(level) }));
  const order = [...ranks].sort((a, b) => compare(a.by, b.by));
  const at = new Float64Array(ranks.length);
  order.forEach((one, i) => (at[one.place] = one.by === null ? NaN : i));
  return column.data.map((code) => at[code] ?? NaN);
}

function compare(a: number | string | null, b: number | string | null): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  if (typeof a === "number" && typeof b === "number") return a - b;
  return String(a).localeCompare(String(b));
}

/** The rows in the order of their keys: equal ones as they came, those without a key last. */
export function sorted(rows: Uint32Array, keys: Float64Array, descending: boolean): Uint32Array {
  const sign = descending ? -1 : 1;
  return rows.slice().sort((a, b) => {
    const [x, y] = [keys[a]!, keys[b]!];
    if (x === y) return a - b;
    if (x !== x || y !== y) return (x !== x ? 1 : 0) - (y !== y ? 1 : 0) || a - b;
    return (x - y) * sign;
  });
}

/** The rows for which every test holds. */
export function filtered(count: number, tests: ((row: number) => boolean)[]): Uint32Array {
  const found = new Uint32Array(count);
  let n = 0;
  rows: for (let row = 0; row < count; row++) {
    for (const test of tests) if (!test(row)) continue rows;
    found[n++] = row;
  }
  return found.slice(0, n);
}
