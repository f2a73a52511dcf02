/**
 * F-measure of one list: (1 + b^2) P C / (b^2 P + C) with precision P = hits / base and recall C = hits / R; 0 if both
 * are 0. Written as (1 + b^2) hits / (b^2 R + base), whose two sides summed over lists are `avg=micro`.
 * `of=means` takes P and C as their means over lists (Evidently).
 * van Rijsbergen 1979; trec_eval set_F.x (m_set_F.c) is this with x = beta^2; ranx, RecTools F1Beta.
 *
 * Example: grades 1 0 1 1 0 1 0 0 give 2/3 at k = 5 and 4/7 at k = 3; `beta=2` at k = 5 gives 0.714286.
 */
export function f1(hits: number, base: number, relevant: number, beta: number): number {
  return f1Above(hits, beta) / f1Below(base, relevant, beta);
}

export function f1Above(hits: number, beta: number): number {
  return (1 + beta * beta) * hits;
}

export function f1Below(base: number, relevant: number, beta: number): number {
  return beta * beta * relevant + base;
}

/** From a precision and a recall, such as their means. */
export function f1OfMeans(precision: number, recall: number, beta: number): number {
  const b2 = beta * beta;
  return precision === 0 && recall === 0 ? 0 : ((1 + b2) * precision * recall) / (b2 * precision + recall);
}
