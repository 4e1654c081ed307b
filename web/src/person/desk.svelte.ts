// The person's work: what was said, its history, and the ways that answer it. Every edit solves again.
import type { Session } from "../app/session";
import { isAborted, Refused, type Explained, type Problem, type Question, type Reply, unreachable } from "../transport/transport";
import { isSame, lifted, questionOf, rulesOf, type Part } from "./question";
import { readState, type State } from "./state";

/** An edit that follows another so soon waits for the next: a drag is many edits. */
const DEBOUNCE = 30;
const NO_LIMIT = { seconds: null, model_rows: null, model_rows_per_row: null };
const LOOK_ON_AFTER = 250;
/** After how long old ways are dimmed: most replies come sooner, and ways that flicker disturb. */
const LATE = 150;
const MOST_LIFTED = 8;
const MERGED = 800;
const LONGEST = 200;

export type Step = Reply<"plan">["steps"][number];

/** Why there is no way: what clashes, and what the person can lift. */
export interface Obstacle {
  sentence: string;
  /** Parts of what was said that clash, or that reject the most ways. */
  parts: Part[];
  /** Rules of the provider that take part in it. */
  others: string[];
  /** Whether the parts contradict each other, and not only leave no way. */
  contradiction: boolean;
}

export class Desk {
  readonly session: Session;
  state: State = $state.raw(undefined!);
  /** The last reply, and the state that it answers. */
  reply = $state.raw<Explained | null>(null);
  record = $state.raw<Reply<"explain"> | null>(null);
  answered = $state.raw<State | null>(null);
  renewing = $state(true);
  /** Whether the reply takes so long that one notices. */
  late = $state(false);
  /** Whether the reply on view is short of ways, and more are being sought. */
  seeking = $state(false);
  problem = $state.raw<Problem | null>(null);
  obstacle = $state.raw<Obstacle | null>(null);
  /** For each part of the obstacle, whether lifting it alone is enough. */
  enough = $state.raw<boolean[]>([]);
  /** The order of each way's changes, once it is known. */
  plans = $state.raw<Step[][]>([]);
  /** Whether the row is somebody's, and not made of usual values. */
  known = $state(false);
  canGoBack = $state(false);
  canGoForward = $state(false);

  #past: State[] = [];
  #future: State[] = [];
  #merge = "";
  #merged = 0;
  #edited = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #noticed: ReturnType<typeof setTimeout> | undefined;
  #asking = new AbortController();
  #onstate: (state: State) => void;

  constructor(session: Session, initial: unknown, onstate: (state: State) => void) {
    this.session = session;
    this.#onstate = onstate;
    this.state = readState(initial, session);
    this.known = session.given || initial !== null;
    this.#solveSoon(0);
  }

  /** Change what was said; edits in a row with the same `merge` are one step of the history. */
  edit(next: State, merge = ""): void {
    const now = performance.now();
    if (!merge || merge !== this.#merge || now - this.#merged > MERGED) {
      this.#past = [...this.#past.slice(-LONGEST), this.state];
    }
    [this.#merge, this.#merged] = [merge, now];
    this.#future = [];
    this.#set(next);
  }

  back(): void {
    const previous = this.#past.pop();
    if (previous) {
      this.#future.push(this.state);
      this.#set(previous);
    }
  }

  forward(): void {
    const next = this.#future.pop();
    if (next) {
      this.#past.push(this.state);
      this.#set(next);
    }
  }

  lift(part: Part): void {
    this.edit(lifted(this.state, part));
  }

  retry(): void {
    this.#solveSoon(0);
  }

  close(): void {
    clearTimeout(this.#timer);
    clearTimeout(this.#noticed);
    this.#asking.abort();
  }

  #set(next: State): void {
    const before = JSON.stringify(questionOf(this.state, this.session.fields));
    this.state = next;
    [this.canGoBack, this.canGoForward] = [this.#past.length > 0, this.#future.length > 0];
    this.#onstate(next);
    if (JSON.stringify(questionOf(next, this.session.fields)) !== before) {
      const now = performance.now();
      this.#solveSoon(now - this.#edited < DEBOUNCE ? DEBOUNCE : 0);
      this.#edited = now;
    }
  }

  #solveSoon(delay: number): void {
    clearTimeout(this.#timer);
    this.#asking.abort();
    this.#asking = new AbortController();
    [this.renewing, this.seeking] = [true, false];
    clearTimeout(this.#noticed);
    this.#noticed = setTimeout(() => (this.late = this.renewing), LATE);
    const { signal } = this.#asking;
    this.#timer = setTimeout(() => void this.#solve(this.state, signal), delay);
  }

  /** Ask for ways, first for those that are found soon; a newer question drops what comes late. */
  async #solve(state: State, signal: AbortSignal): Promise<void> {
    const question = questionOf(state, this.session.fields);
    try {
      let reply = await this.#ask(state, soon(question), signal);
      if (isShort(reply) || question.certify) {
        this.seeking = true;
        reply = await this.#ask(state, question, signal);
      }
      this.#timer = setTimeout(() => void this.#lookOn(state, reply, signal), LOOK_ON_AFTER);
    } catch (error) {
      if (signal.aborted || isAborted(error)) return;
      this.problem = error instanceof Refused ? error.problem : unreachable(String(error)).problem;
    }
    [this.renewing, this.late, this.seeking] = [false, false, false];
  }

  /** The reply to a question, once it is shown; with why there is no way, where none is left. */
  async #ask(state: State, question: Question, signal: AbortSignal): Promise<Explained> {
    const record = await this.session.transport.ask("explain", question, { signal });
    const reply = record.rows[0];
    signal.throwIfAborted();
    if (!reply) throw unreachable("The reply has no row.");
    const last = question.budget?.harder !== false || reply.status === "infeasible";
    const obstacle = last && isNone(reply) ? await this.#obstacle(state, reply, signal) : null;
    signal.throwIfAborted();
    [this.record, this.reply, this.answered] = [record, reply, state];
    [this.obstacle, this.problem] = [obstacle, null];
    [this.plans, this.enough] = [[], []];
    [this.renewing, this.late] = [false, false];
    return reply;
  }

  /** What is good to know and can wait: the order of changes, or which wish to lift. */
  async #lookOn(state: State, reply: Explained, signal: AbortSignal): Promise<void> {
    const { transport, fields } = this.session;
    const rules = questionOf(state, fields).rules ?? [];
    try {
      const enough = await Promise.all(
        (this.obstacle?.parts ?? []).slice(0, MOST_LIFTED).map(async (part) => {
          const question = { ...questionOf(lifted(state, part), fields), k: 1, certify: false };
          const leads = async (asked: Question) => {
            const { rows } = await transport.ask("explain", asked, { signal });
            return Boolean(rows[0]?.answers.length);
          };
          return (await leads(soon(question))) || (await leads(question));
        }),
      );
      if (!signal.aborted) this.enough = enough;
      const plans = await Promise.all(
        reply.answers.map(async ({ changes }) => {
          const own = changes.filter((change) => !change.follows);
          if (own.length < 2) return [];
          const after = Object.fromEntries(own.map((change) => [change.feature, change.after]));
          const { steps } = await transport.ask("plan", { row: state.row, changes: after, rules }, { signal });
          return steps;
        }),
      );
      if (!signal.aborted) this.plans = plans;
    } catch {
      // The reply stands without it.
      if (!signal.aborted) this.plans = reply.answers.map(() => []);
    }
  }

  /** What prevents ways, in terms of what the person said. */
  async #obstacle(state: State, reply: Explained, signal: AbortSignal): Promise<Obstacle> {
    const { transport, fields } = this.session;
    const question = questionOf(state, fields);
    const wishes = rulesOf(state, fields);
    const [why, checked] = await Promise.all([
      transport.ask("why", soon(question), { signal }),
      transport.ask("check_rules", { rules: question.rules ?? [], row: state.row }, { signal }),
    ]);
    const found = why.rows[0];
    const clash = found?.conflict.length ? found.conflict : Object.keys(found?.rejected ?? {});
    const places = clash.map((text) => checked.rules.findIndex((rule) => rule.text === text));
    const parts = places.flatMap((place) => (wishes[place] ? [wishes[place].part] : []));
    // What only the harder search has proved, its reply says.
    const own = found?.status === reply.status ? "" : reply.sentence;
    return {
      sentence: [own, found?.sentence].filter(Boolean).join(" ") || reply.sentence,
      parts: parts.filter((part, i) => parts.findIndex((other) => isSame(part, other)) === i),
      others: clash.filter((_, i) => places[i] === -1),
      contradiction: Boolean(found?.conflict.length),
    };
  }
}

/** The question as it is answered soon: what is short is not sought on, and nothing is proved. */
function soon(question: Question): Question {
  return { ...question, certify: false, budget: { ...NO_LIMIT, ...question.budget, harder: false } };
}

/** Whether a reply has no ways, and wants a reason. */
export function isNone(reply: Explained): boolean {
  return !reply.answers.length && (reply.status === "not_found" || reply.status === "infeasible");
}

/** Whether a harder search may find more: it has fewer ways than were asked for, or marked ones. */
function isShort(reply: Explained): boolean {
  return ["partial", "not_found"].includes(reply.status) || reply.answers.some((way) => way.extra);
}
