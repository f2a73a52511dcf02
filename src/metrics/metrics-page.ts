import type { Clock } from '../vocabulary/clock.ts';
import type { DurationMs, EpochMs } from '../vocabulary/events.ts';
import type { Metrics, MetricsUpdate } from './registry.ts';

/** How long a text is reused, counted from the beginning of its rendering. */
const MAX_AGE: DurationMs = 1000;

interface MetricsPageDeps {
  readonly metrics: Pick<Metrics, 'take' | 'text'>;
  /** The process's knowledge of itself, as of the call. */
  readonly status: () => MetricsUpdate;
  readonly clock: Pick<Clock, 'now'>;
}

interface Rendering {
  readonly began: EpochMs;
  readonly text: Promise<string>;
}

/**
 * The served page of metrics. It is rendered when it is requested, from what is true then, and at most once a second. Requests that
 * arrive meanwhile, or within that second, share the text, so that many readers cost no more than one.
 */
export class MetricsPage {
  readonly #deps: MetricsPageDeps;
  #last: Rendering | undefined;
  #isRendering = false;

  constructor(deps: MetricsPageDeps) {
    this.#deps = deps;
  }

  /** Rejects if the page cannot be rendered; the next call tries again. */
  text(): Promise<string> {
    const now = this.#deps.clock.now();
    if (this.#last !== undefined && (this.#isRendering || isFresh(this.#last, now))) return this.#last.text;
    this.#isRendering = true;
    const text = this.#render();
    this.#last = { began: now, text };
    text.catch(() => {
      if (this.#last?.text === text) this.#last = undefined;
    });
    return text;
  }

  async #render(): Promise<string> {
    const { metrics, status } = this.#deps;
    try {
      await metrics.take(status());
      return await metrics.text();
    } finally {
      this.#isRendering = false;
    }
  }
}

/** Whether a text may be reused. If the clock was set back, its age is unknown. */
function isFresh({ began }: Rendering, now: EpochMs): boolean {
  return now >= began && now - began < MAX_AGE;
}
