// What is known of the rows of a table: scores, and summaries of their answers, as they come in.
import type { Reply, Value } from "../transport/transport";

export type Summary = Reply<"explain_batch">["rows"][number];

/** The statuses of rows; the first is of those that were not asked about. */
export const STATUSES = [
  "waiting",
  "found",
  "partial",
  "not_found",
  "infeasible",
  "already",
  "skipped",
  "failed",
  "wrong",
] as const;
export type Status = (typeof STATUSES)[number];
const WAITING = STATUSES.indexOf("waiting");
const WRONG = STATUSES.indexOf("wrong");

interface Entries {
  features: number[];
  values: Value[];
}

export class Results {
  readonly status: Uint8Array;
  /** The score of the wanted class, or the predicted number; NaN where it is not known. */
  readonly score: Float64Array;
  readonly distance: Float64Array;
  /** How many features the nearest answer changes. */
  readonly changes: Float64Array;
  readonly predictions: (Value | undefined)[];
  /** Of the nearest answer. */
  private readonly nearest: (Entries | undefined)[];
  private readonly uses: (Float32Array | undefined)[];
  private readonly places: Map<string, number>;

  constructor(
    readonly count: number,
    readonly features: string[],
    wrong: Iterable<number> = [],
  ) {
    this.status = new Uint8Array(count).fill(WAITING);
    this.score = new Float64Array(count).fill(NaN);
    this.distance = new Float64Array(count).fill(NaN);
    this.changes = new Float64Array(count).fill(NaN);
    this.predictions = new Array(count);
    this.nearest = new Array(count);
    this.uses = new Array(count);
    this.places = new Map(features.map((name, place) => [name, place]));
    for (const row of wrong) this.status[row] = WRONG;
  }

  statusAt(row: number): Status {
    return STATUSES[this.status[row] ?? 0]!;
  }

  /** Forget every answer; the scores stay. */
  clear(): void {
    for (let row = 0; row < this.count; row++) if (this.status[row] !== WRONG) this.status[row] = WAITING;
    this.distance.fill(NaN);
    this.changes.fill(NaN);
    this.nearest.fill(undefined);
    this.uses.fill(undefined);
  }

  put(row: number, said: Summary): void {
    this.status[row] = STATUSES.indexOf(said.status);
    if (said.answers === 0) return;
    this.distance[row] = said.distance ?? NaN;
    const names = Object.keys(said.changes);
    this.changes[row] = names.length;
    this.nearest[row] = {
      features: names.map((name) => this.places.get(name)!),
      values: names.map((name) => said.changes[name] ?? null),
    };
    const uses = Object.entries(said.uses);
    this.uses[row] = Float32Array.from(
      uses.flatMap(([name, use]) => [this.places.get(name)!, use.changed, use.sufficient]),
    );
  }

  /** The new value that the nearest answer gives a feature; undefined where it stays. */
  after(row: number, feature: string): Value | undefined {
    const own = this.nearest[row];
    if (!own) return undefined;
    const place = own.features.indexOf(this.places.get(feature) ?? -1);
    return place < 0 ? undefined : own.values[place];
  }

  /**
   * For each owner the mean share of the answers that change it, and in which that is enough.
   * `owners` has the place of the field that a feature belongs to: columns of a group change as one.
   */
  importance(rows: Uint32Array, owners: number[]): { answered: number; changed: Float64Array; sufficient: Float64Array } {
    const fields = Math.max(-1, ...owners) + 1;
    const [changed, sufficient] = [new Float64Array(fields), new Float64Array(fields)];
    const [ownChanged, ownSufficient] = [new Float64Array(fields), new Float64Array(fields)];
    let answered = 0;
    for (const row of rows) {
      const uses = this.uses[row];
      if (!uses) continue;
      answered += 1;
      for (let i = 0; i < uses.length; i += 3) {
        const owner = owners[uses[i]!]!;
        ownChanged[owner] = Math.max(ownChanged[owner]!, uses[i + 1]!);
        ownSufficient[owner] = Math.max(ownSufficient[owner]!, uses[i + 2]!);
      }
      for (let i = 0; i < uses.length; i += 3) {
        const owner = owners[uses[i]!]!;
        changed[owner]! += ownChanged[owner]!;
        sufficient[owner]! += ownSufficient[owner]!;
        [ownChanged[owner], ownSufficient[owner]] = [0, 0];
      }
    }
    const mean = (sum: number) => sum / Math.max(1, answered);
    return { answered, changed: changed.map(mean), sufficient: sufficient.map(mean) };
  }

  /** How many of some rows have each status. */
  statuses(rows: Uint32Array): Map<Status, number> {
    const counts = new Array<number>(STATUSES.length).fill(0);
    for (const row of rows) counts[this.status[row]!]! += 1;
    return new Map(STATUSES.map((status, i) => [status, counts[i]!]));
  }
}

export interface Bin {
  low: number;
  high: number;
  count: number;
}

/** Numbers in about `most` bins whose ends are round, and no narrower than `least`; NaN is left out. */
export function binned(values: Iterable<number>, most = 20, least = 0): Bin[] {
  const known = Float64Array.from([...values].filter((value) => !Number.isNaN(value))).sort();
  if (!known.length) return [];
  // The ends of the bins follow all but a few far ones, which join the last bin on each side.
  const at = (share: number) => known[Math.round(share * (known.length - 1))]!;
  const [low, high] = known.length > 50 ? [at(0.01), at(0.99)] : [at(0), at(1)];
  const step = Math.max(least, roundStep((high - low) / most));
  const first = Math.floor(low / step) * step;
  const count = Math.min(most + 2, Math.max(1, Math.floor((high - first) / step + 1e-9) + 1));
  const bins = Array.from({ length: count }, (_, i) => ({ low: first + i * step, high: first + (i + 1) * step, count: 0 }));
  for (const value of known) {
    bins[Math.min(count - 1, Math.max(0, Math.floor((value - first) / step + 1e-9)))]!.count += 1;
  }
  return bins;
}

/** Shares from 0 to 1 in bins of equal width. */
export function binnedShares(values: Iterable<number>, count = 50): Bin[] {
  const bins = Array.from({ length: count }, (_, i) => ({ low: i / count, high: (i + 1) / count, count: 0 }));
  for (const value of values) {
    if (!Number.isNaN(value)) bins[Math.min(count - 1, Math.max(0, Math.floor(value * count)))]!.count += 1;
  }
  return bins;
}

/** 1, 2 or 5 times a power of ten, at least as large. */
export function roundStep(size: number): number {
  if (!(size > 0)) return 1;
  const power = 10 ** Math.floor(Math.log10(size));
  return [1, 2, 5, 10].map((one) => one * power).find((one) => one >= size * (1 - 1e-9))!;
}

/** How many scores reach a cut, and which rows another cut decides otherwise. */
export function crossing(scores: Float64Array, usual: number, cut: number) {
  let [reach, gained, lost] = [0, 0, 0];
  for (const score of scores) {
    if (score >= cut) reach += 1;
    if (score >= cut && score < usual) gained += 1;
    if (score < cut && score >= usual) lost += 1;
  }
  return { reach, gained, lost };
}

/** Whether a row is decided otherwise with another cut. */
export function crosses(score: number, usual: number, cut: number): boolean {
  return score >= cut !== score >= usual && !Number.isNaN(score);
}

/**
 * The next number of rows of a chunk. A request costs something whatever its size, so that chunks grow
 * while they are quicker than wanted, and shrink only where they are much slower.
 */
export function nextSize(size: number, seconds: number, wanted: number, most: number): number {
  const factor = wanted / Math.max(seconds, 0.001);
  const grown = factor > 1 ? Math.ceil(size * Math.min(factor, 3)) : factor < 1 / 3 ? Math.floor(size * factor) : size;
  return Math.max(1, Math.min(most, grown));
}
