// An edited row: what the model says of it, and the curve of one field through it.
import type { Session } from "../app/session";
import type { Field } from "../show/fields";
import { isAborted, Refused, type Problem, type Reply, type Row, unreachable } from "../transport/transport";

export class Trial {
  reply = $state.raw<Reply<"predict"> | null>(null);
  /** The field whose curve the reply has. */
  field = $state.raw<Field | null>(null);
  renewing = $state(false);
  problem = $state.raw<Problem | null>(null);

  #session: Session;
  #asking = new AbortController();

  constructor(session: Session) {
    this.#session = session;
  }

  async ask(row: Row, field: Field, threshold: number | null): Promise<void> {
    this.#asking.abort();
    const { signal } = (this.#asking = new AbortController());
    this.renewing = true;
    try {
      const body = { rows: [row], threshold, curve: field.name, points: 80 };
      const reply = await this.#session.transport.ask("predict", body, { signal });
      if (signal.aborted) return;
      [this.reply, this.field, this.problem, this.renewing] = [reply, field, null, false];
    } catch (error) {
      if (signal.aborted || isAborted(error)) return;
      this.problem = error instanceof Refused ? error.problem : unreachable(String(error)).problem;
      this.renewing = false;
    }
  }

  close(): void {
    this.#asking.abort();
  }
}
