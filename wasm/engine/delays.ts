/** Adds a time from impression to attributed feedback, in ms, to `delays`: f64 sum of seconds, then f64 counts by upper bound. */

/** @param bounds f64 seconds, ascending, as the host passes them */
export function addDelay(delays: usize, bounds: usize, count: u32, delay: f64): void {
  const seconds = delay > 0 ? delay / 1000 : 0;
  let i: usize = 0;
  while (i < <usize>count && seconds > load<f64>(bounds + 8 * i)) i++;
  store<f64>(delays, load<f64>(delays) + seconds);
  store<f64>(delays + 8 + 8 * i, load<f64>(delays + 8 + 8 * i) + 1);
}
