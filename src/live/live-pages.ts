import { readFileSync } from 'node:fs';
import { renderLogIn } from '../page/live-page.tsx';
import { STYLE } from '../page/style.ts';
import type { LivePage } from './live.ts';
import type { Made } from './made.ts';

/** The live page as it is served. Its script is a separate file, so that the page's policy can forbid all others. */
export function pagesOf(live: LivePage): {
  readonly html: (query: string) => Promise<Made>;
  readonly cohorts: (query: string) => Promise<Made>;
  readonly state: () => Promise<Made>;
  readonly report: (query: string) => Promise<Made>;
  readonly lists: (() => Promise<Made>) | undefined;
  readonly logIn: string;
  readonly script: string;
  readonly style: string;
} {
  return {
    html: (query) => live.html(query),
    cohorts: (query) => live.cohorts(query),
    state: () => live.state(),
    report: (query) => live.report(query),
    lists: live.hasLists ? () => live.lists() : undefined,
    logIn: renderLogIn(),
    script: readFileSync(new URL('../page/live.js', import.meta.url), 'utf8'),
    style: STYLE,
  };
}
