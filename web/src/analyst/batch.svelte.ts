// The state of the analyst's screen: a table, what is known of its rows, and what is asked about them.
// It outlives the screen, so that whoever comes back from one row finds everything in its place.
import type { Session } from "../app/session";
import { isAborted, Refused, type Question, type Reply, type Row, type Value } from "../transport/transport";
import { crosses, nextSize, Results, type Status } from "./results";
import { columnOf, filtered, keysOf, rowAt, sorted, tableOf, valueAt, type Column, type Table } from "./table";

export type CellError = Reply<"read_table">["errors"][number];
type Options = Omit<Question, "rows">;

/** What one column of the table must hold. */
export interface ColumnFilter {
  name: string;
  level: Value | undefined;
  low: number | null;
  high: number | null;
}

export interface Filters {
  statuses: Status[];
  crossing: boolean;
  mostChanges: number | null;
  mostDistance: number | null;
  changing: string;
  column: ColumnFilter | null;
}

export const NO_FILTERS: Filters = {
  statuses: [],
  crossing: false,
  mostChanges: null,
  mostDistance: null,
  changing: "",
  column: null,
};

/** Rows that are explained without being asked to. */
const FEW = 200;
/** Bytes of a request for scores, and the seconds that a chunk of answers should take. */
const [BYTES, SECONDS] = [4e6, 2];
const TRIES = 5;

export class Batch {
  table = $state.raw<Table | null>(null);
  results = $state.raw(new Results(0, []));
  /** How often results have come in: whatever is drawn from them depends on it. */
  version = $state(0);
  /** The same, but at most once a second: rows move when what they are sorted by comes in. */
  settled = $state(0);
  errors = $state.raw<CellError[]>([]);
  missing = $state.raw<Record<string, Record<string, number>>>({});
  wrong = $state(0);
  busy = $state<"" | "reading" | "scoring" | "explaining">("");
  scored = $state(0);
  explained = $state(0);
  problem = $state.raw<unknown>(null);
  cut = $state(0.5);
  target = $state.raw<Question["target"] | undefined>(undefined);
  rules = $state.raw<string[]>([]);
  filters = $state.raw<Filters>(NO_FILTERS);
  sort = $state.raw<{ key: string; descending: boolean }>({ key: "", descending: false });
  /** The cell that has the focus, and how far the table is scrolled. */
  place = $state({ row: 0, column: 0 });
  scroll = { top: 0, left: 0 };
  /** What the answers at hand were asked with. */
  private asked = $state("");
  private settledAt = 0;
  private running: AbortController | null = null;

  readonly usual: number;
  readonly columns: Map<string, Column> = $derived(new Map(this.table?.columns.map((one) => [one.name, one])));
  readonly faults: Map<string, CellError> = $derived(
    new Map(this.errors.map((one) => [`${one.row ?? ""}.${one.column}`, one])),
  );
  /** Whether a threshold decides: of a probability of two classes, or of a number. */
  readonly decides: boolean;
  readonly regression: boolean;

  constructor(readonly session: Session) {
    const { model, start } = session;
    this.regression = model.task === "regression";
    this.decides = this.regression || (model.scores === "probability" && model.classes.length === 2);
    this.usual = model.threshold ?? 0.5;
    this.cut = start.options?.threshold ?? this.usual;
    this.target = start.options?.target;
    this.rules = (start.options?.rules ?? []).filter((one): one is string => typeof one === "string");
    if (start.rows?.length) void this.load(tableOf(start.rows), [], [], {});
  }

  /** The rows that are shown, in their order. */
  readonly order: Uint32Array = $derived.by(() => {
    const { table, sort, filters } = this;
    if (!table) return new Uint32Array(0);
    const { column: _, ...live } = filters;
    if (sort.key.startsWith("*") || Object.values(live).some((one) => (Array.isArray(one) ? one.length : one))) {
      void this.settled;
    }
    const rows = filtered(table.count, this.tests());
    const keys = this.keys(sort.key);
    return keys ? sorted(rows, keys, sort.descending) : sort.descending ? rows.reverse() : rows;
  });

  readonly stale: boolean = $derived(this.asked !== "" && this.asked !== JSON.stringify(this.options()));

  /** What every chunk of rows is asked with. */
  options(): Options {
    const { row_rules: _, ...given } = this.session.start.options ?? {};
    const objects = (given.rules ?? []).filter((one) => typeof one !== "string");
    const options: Options = { ...given, rules: [...objects, ...this.rules] };
    if (this.regression) options.target = this.target ?? { low: this.cut, high: null };
    else if (this.target !== undefined) options.target = this.target;
    else if (this.session.model.classes.length > 2) options.target = "other";
    if (this.decides && !this.regression && this.cut !== this.usual) options.threshold = this.cut;
    else delete options.threshold;
    return options;
  }

  async open(file: File): Promise<void> {
    this.stop();
    this.busy = "reading";
    this.problem = null;
    try {
      const content = await base64(file);
      const reply = await this.session.transport.ask("read_table", { name: file.name, content });
      const columns = reply.columns.map((one) => columnOf(one.name, one.known, one.values as Value[]));
      await this.load({ count: reply.count, columns }, reply.errors, reply.wrong_rows, reply.missing);
    } catch (error) {
      this.problem = error;
    } finally {
      if (this.busy === "reading") this.busy = "";
    }
  }

  async load(table: Table, errors: CellError[], wrong: number[], missing: Batch["missing"]): Promise<void> {
    this.stop();
    this.table = table;
    [this.errors, this.missing, this.wrong] = [errors, missing, wrong.length];
    this.results = new Results(
      table.count,
      this.session.model.features.map((one) => one.name),
      wrong,
    );
    [this.filters, this.sort] = [NO_FILTERS, { key: "", descending: false }];
    [this.place, this.scroll] = [{ row: 0, column: 0 }, { top: 0, left: 0 }];
    [this.scored, this.explained, this.asked] = [0, 0, ""];
    this.came(true);
    await this.run("scoring", (signal) => this.score(signal));
    if (table.count <= FEW && this.table === table && !this.problem) await this.explain();
  }

  /** Ask about all rows that have no answers yet, or about all again where the question has changed. */
  async explain(): Promise<void> {
    if (this.stale) {
      this.results.clear();
      this.explained = 0;
    }
    this.asked = JSON.stringify(this.options());
    await this.run("explaining", (signal) => this.summarise(signal));
  }

  stop(): void {
    this.running?.abort();
  }

  /** How many rows can be asked about. */
  get usable(): number {
    return (this.table?.count ?? 0) - this.wrong;
  }

  rowAt(row: number): Row {
    return rowAt(this.table!, row);
  }

  private came(last = false): void {
    this.version += 1;
    if (!last && performance.now() - this.settledAt < 1000) return;
    this.settledAt = performance.now();
    this.settled += 1;
  }

  private async run(what: "scoring" | "explaining", work: (signal: AbortSignal) => Promise<void>): Promise<void> {
    this.stop();
    const own = new AbortController();
    this.running = own;
    [this.busy, this.problem] = [what, null];
    try {
      await work(own.signal);
    } catch (error) {
      if (this.running === own && !isAborted(error)) this.problem = error;
    } finally {
      if (this.running === own) [this.busy, this.running] = ["", null];
      this.came(true);
    }
  }

  /** The rows without an answer: those on view first. */
  private waiting(): number[] {
    const shown = this.order.filter((row) => this.results.statusAt(row) === "waiting");
    const first = new Set(shown);
    const rest = filtered(this.table!.count, [(row) => this.results.statusAt(row) === "waiting" && !first.has(row)]);
    return [...shown, ...rest];
  }

  private async score(signal: AbortSignal): Promise<void> {
    const { results, table } = this;
    const rows = filtered(table!.count, [(row) => results.statusAt(row) !== "wrong"]);
    if (!rows.length) return;
    const bytes = JSON.stringify(rowAt(table!, rows[0]!)).length + 1;
    const most = Math.max(1, Math.min(this.session.model.limits.batch_rows, Math.floor(BYTES / bytes)));
    let size = Math.min(500, most); // so that the first scores are there at once
    for (let at = 0; at < rows.length; at += size, size = Math.min(most, size * 5)) {
      const chunk = rows.slice(at, at + size);
      const asked = Array.from(chunk, (row) => this.rowAt(row));
      const said = await this.ask("score_batch", { rows: asked }, signal);
      chunk.forEach((row, i) => {
        results.score[row] = said.scores[i] ?? NaN;
        results.predictions[row] = said.predictions[i] ?? null;
      });
      this.scored = Math.min(rows.length, at + size);
      this.came();
    }
    if (this.regression && this.cut === this.usual) this.cut = middle(results.score);
  }

  private async summarise(signal: AbortSignal): Promise<void> {
    const rows = this.waiting();
    const [options, results] = [this.options(), this.results];
    let [next, size] = [0, Math.min(20, this.session.model.limits.rows)];
    // A notebook answers one question after another, and drops all but the newest.
    const lanes = this.session.inNotebook ? 1 : 2;
    const lane = async () => {
      while (next < rows.length) {
        const chunk = rows.slice(next, (next += size));
        const began = performance.now();
        const asked = chunk.map((row) => this.rowAt(row));
        const said = await this.ask("explain_batch", { ...options, rows: asked }, signal);
        said.rows.forEach((one, i) => results.put(chunk[i]!, one));
        size = nextSize(chunk.length, (performance.now() - began) / 1000, SECONDS, this.session.model.limits.rows);
        this.explained += chunk.length;
        this.came();
      }
    };
    await Promise.all(Array.from({ length: lanes }, lane));
  }

  /** Ask again where the server is busy for a moment. */
  private async ask<N extends "score_batch" | "explain_batch">(
    name: N,
    body: Parameters<typeof this.session.transport.ask<N>>[1],
    signal: AbortSignal,
  ): Promise<Reply<N>> {
    for (let tried = 1; ; tried++) {
      try {
        return await this.session.transport.ask(name, body, { signal });
      } catch (error) {
        const busy = error instanceof Refused && [429, 503].includes(error.problem.status);
        if (!busy || tried >= TRIES) throw error;
        await new Promise((resolve) => setTimeout(resolve, 1000 * tried));
        signal.throwIfAborted();
      }
    }
  }

  private tests(): ((row: number) => boolean)[] {
    const { filters, results } = this;
    const tests: ((row: number) => boolean)[] = [];
    if (filters.statuses.length) tests.push((row) => filters.statuses.includes(results.statusAt(row)));
    if (filters.crossing) {
      const { usual, cut } = this; // read here: rows move with the threshold only where they depend on it
      tests.push((row) => crosses(results.score[row]!, usual, cut));
    }
    const [changes, distance] = [filters.mostChanges, filters.mostDistance];
    if (changes !== null) tests.push((row) => results.changes[row]! <= changes);
    if (distance !== null) tests.push((row) => results.distance[row]! <= distance);
    if (filters.changing) {
      const field = this.session.fields.find((one) => one.name === filters.changing);
      const names = field?.features.map((one) => one.name) ?? [];
      tests.push((row) => names.some((name) => results.after(row, name) !== undefined));
    }
    const own = filters.column;
    const column = own && this.columns.get(own.name);
    if (own && column) {
      const { level, low, high } = own;
      if (level !== undefined) tests.push((row) => valueAt(column, row) === level);
      if (low !== null) tests.push((row) => column.data[row]! >= low);
      if (high !== null) tests.push((row) => column.data[row]! <= high);
    }
    return tests;
  }

  private keys(key: string): Float64Array | null {
    const { results } = this;
    const own: Record<string, () => Float64Array> = {
      "*status": () => Float64Array.from(results.status),
      "*score": () => results.score,
      "*prediction": () => results.score,
      "*distance": () => results.distance,
      "*changes": () => results.changes,
      "*way": () => results.distance,
    };
    if (own[key]) return own[key]();
    const column = this.columns.get(key);
    if (!column) return null;
    const levels = this.session.fields.find((one) => one.name === key)?.options ?? [];
    const places = new Map(levels.map((one, place) => [one.value, place]));
    return keysOf(column, (level) => places.get(level) ?? String(level));
  }
}

const batches = new WeakMap<Session, Batch>();

/** The state of a session, made once. */
export function batchOf(session: Session): Batch {
  const own = batches.get(session) ?? new Batch(session);
  batches.set(session, own);
  return own;
}

/** The bytes of a file in base64. */
function base64(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result).split(",", 2)[1] ?? "");
    reader.onerror = () => reject(reader.error ?? new Error(file.name));
    reader.readAsDataURL(file);
  });
}

function middle(values: Float64Array): number {
  const known = values.filter((value) => !Number.isNaN(value)).sort();
  return known[Math.floor(known.length / 2)] ?? 0;
}
