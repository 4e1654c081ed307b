// What is known before anything is asked: the model, its data, and what to show first.
import { fieldsOf, usualRow, type Field } from "../show/fields";
import type { Histogram, Model, Question, Row, Start, Transport } from "../transport/transport";

export interface Session {
  transport: Transport;
  inNotebook: boolean;
  start: Start;
  model: Model;
  fields: Field[];
  histograms: Map<string, Histogram>;
  /** Features that a rule in force keeps as they are. */
  fixed: Set<string>;
  /** The row to show first: one that was given, or usual values. */
  first: Row;
  /** Whether that row is somebody's, and not made of usual values. */
  given: boolean;
}

/** Show a row on the person's screen, with the options that it was asked about with. */
export type OpenRow = (row: Row, options: Omit<Question, "rows">) => void;

export async function open(transport: Transport, inNotebook: boolean): Promise<Session> {
  const [start, model, distribution] = await Promise.all([
    transport.start().catch((): Start => ({})),
    transport.ask("model", {}),
    transport.ask("distribution", {}),
  ]);
  const { rules } = model.rules.length ? await transport.ask("check_rules", { rules: model.rules }) : { rules: [] };
  const fixed = new Set(rules.flatMap(({ rule }) => (rule?.rule === "fixed" ? [String(rule.name)] : [])));
  const fields = fieldsOf(model);
  const histograms = new Map(distribution.histograms.map((one) => [one.feature, one]));
  const given = start.rows?.[start.row ?? 0];
  const first = given ?? usualRow(model, fields, histograms);
  return { transport, inNotebook, start, model, fields, histograms, fixed, first, given: given !== undefined };
}
