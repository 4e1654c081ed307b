// What carries questions to the contract. It has two lives: a service, and a notebook.
import type { components, paths } from "../contract";

type Schemas = components["schemas"];
export type Value = Schemas["Value"];
export type Row = Record<string, Value>;
export type Rule = string | Record<string, unknown>;
export type FeatureCard = Schemas["FeatureCard"];
export type Model = Schemas["ModelReply"];
export type Histogram = Schemas["Histogram"];
export type Explained = Schemas["Explained"];
export type Way = Omit<Schemas["Way"], "values"> & { values: Row };
export type Change = Schemas["Change"];
export type Question = Request<"explain">;
export type Problem = Schemas["Problem"];

export type Name = keyof paths extends `/v1/${infer N}` ? N : never;
type Post<N extends Name> = paths[`/v1/${N}`]["post"];
/** What has a default may be left out. */
export type Request<N extends Name> = Partial<Post<N>["requestBody"]["content"]["application/json"]>;
export type Reply<N extends Name> = Post<N>["responses"][200]["content"]["application/json"];

/** What the page shows first; everything may be left out. */
export interface Start {
  rows?: Row[];
  row?: number | null;
  options?: Omit<Question, "rows">;
  title?: string;
  language?: string;
}

export interface Transport {
  /** The start object. */
  start(): Promise<Start>;
  /** The reply to a request of the contract; fails with `Refused`. */
  ask<N extends Name>(name: N, body: Request<N>, options?: { signal?: AbortSignal }): Promise<Reply<N>>;
}

/** A request that is not answered; `problem` says why (RFC 9457). */
export class Refused extends Error {
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(problem.detail);
    this.problem = problem;
  }
}

/** A problem of the way there: nobody answered. */
export function unreachable(detail: string): Refused {
  const title = "The service cannot be reached";
  const type = "urn:ifonly:problem:unreachable";
  return new Refused({ type, title, status: 0, detail, field: "", hint: "", place: null, errors: [] });
}

/** Whether a request was given up because a newer one was asked. */
export function isAborted(error: unknown): boolean {
  return error instanceof DOMException && error.name === "AbortError";
}
