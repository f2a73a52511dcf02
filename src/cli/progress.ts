import { SingleBar } from 'cli-progress';
import { grouped } from '../vocabulary/grouped.ts';

export interface Progress {
  /** @param done of the total (bytes, or events); @param events so far */
  update(done: number, events: number): void;
  stop(): void;
}

const LINE_EVERY_MS = 5000;
const SILENT: Progress = { update() {}, stop() {} };

/**
 * Progress of a long command, with its rate and the remaining time: a bar on a terminal, nothing elsewhere.
 * @param total undefined: unknown (standard input), so a line every 5 s; @param what the things that are counted
 */
export function showProgress(stream: NodeJS.WriteStream, total: number | undefined, what = 'events'): Progress {
  if (stream.isTTY !== true) return SILENT;
  const began = performance.now();
  const rate = (events: number): string => grouped((1000 * events) / Math.max(1, performance.now() - began));
  if (total !== undefined) return bar(stream, total, what, rate);
  let shown = began;
  return {
    update(_done, events) {
      const now = performance.now();
      if (now - shown < LINE_EVERY_MS) return;
      shown = now;
      stream.write(`${grouped(events)} ${what}, ${rate(events)}/s\n`);
    },
    stop() {},
  };
}

function bar(stream: NodeJS.WriteStream, total: number, what: string, rate: (events: number) => string): Progress {
  const shown = new SingleBar({
    stream,
    format: `{bar} {percentage} % | {events} ${what} | {rate}/s | {eta_formatted} left`,
    barCompleteChar: '█',
    barIncompleteChar: '░',
    hideCursor: true,
    // A long average, so that the remaining time does not jump.
    etaBuffer: 200,
  });
  shown.start(total, 0, { events: '0', rate: '0' });
  let events = 0;
  return {
    update(done, so) {
      events = so;
      shown.update(done, { events: grouped(so), rate: rate(so) });
    },
    stop() {
      if (events > 0) shown.update(total, { events: grouped(events), rate: rate(events) });
      shown.stop();
    },
  };
}
