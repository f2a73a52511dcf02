/**
 * The colours of reports, pages and pictures, each light and dark. `s0` to `s6` are those of series, after M. Okabe and K. Ito,
 * "Color Universal Design", 2008: distinct for colour-blind readers too, and dark enough for lines on white.
 */
const COLOURS = {
  ground: ['#f4f6f9', '#0d1117'],
  card: ['#fff', '#161c26'],
  ink: ['#18202e', '#e7ebf2'],
  muted: ['#566073', '#9fabbe'],
  line: ['#dde2ea', '#2b3444'],
  grid: ['#e8ebf1', '#222b39'],
  track: ['#e9edf3', '#252e3d'],
  accent: ['#1f5fa8', '#74b3ff'],
  band: ['#1f5fa8', '#74b3ff'],
  good: ['#0b6e4f', '#56d3a0'],
  'good-soft': ['#dcf3ea', '#12372c'],
  bad: ['#b42318', '#ff8b80'],
  'bad-soft': ['#fde7e4', '#451d1b'],
  warn: ['#8a4b08', '#f0b35a'],
  'warn-soft': ['#fdf0d9', '#3d2c10'],
  'plain-soft': ['#e7ebf2', '#28313f'],
  s0: ['#0072b2', '#5db4ec'],
  s1: ['#c14f00', '#ff9d5c'],
  s2: ['#00795a', '#3fd0a4'],
  s3: ['#a8518a', '#e7a3cb'],
  s4: ['#2b7fae', '#9ad4ff'],
  s5: ['#7d6200', '#dcb83f'],
  s6: ['#444b5a', '#b8c0d0'],
  worse: ['180,35,24', '255,100,88'],
  better: ['31,95,168', '90,165,255'],
} as const;

/** The tone of a statement or of a mark: good, bad, a warning, or neutral. */
export type Tone = 'good' | 'bad' | 'warn' | 'plain';

/** Declarations of the colours as CSS variables. */
export function variables(theme: 'light' | 'dark'): string {
  return Object.entries(COLOURS)
    .map(([name, [light, dark]]) => `--${name}:${theme === 'light' ? light : dark}`)
    .join(';');
}

/** The light colour: for pictures in files, as programs that draw SVG know no variables. */
export function light(name: keyof typeof COLOURS): string {
  return COLOURS[name][0];
}

/** Colours of series; more series use them again, dashed. */
export const SERIES = [light('s0'), light('s1'), light('s2'), light('s3'), light('s4'), light('s5'), light('s6')];

/** The light colour of a mark. */
export function toned(tone: Tone): string {
  return light(tone === 'plain' ? 'band' : tone);
}

/** Rules of CSS with the light colours in place of the variables. */
export function inLight(rules: string): string {
  return Object.entries(COLOURS).reduce((text, [name, [own]]) => text.replaceAll(`var(--${name})`, own), rules);
}

function series(): string {
  return SERIES.map(
    (_, i) =>
      `circle.series-${i}{fill:var(--s${i})}path.series-${i}{stroke:var(--s${i})}path.error.series-${i}{fill:var(--s${i});stroke:none}`,
  ).join('\n');
}

/** How marks of charts look, by class, on pages and in files. */
export const CHART_STYLE = `.zero{stroke:var(--muted);stroke-width:1}
.tolerance{fill:var(--warn);opacity:.16}
.mark line{stroke:var(--muted);stroke-width:2}.mark .bar{stroke-width:3}.mark circle{fill:var(--muted);stroke:var(--card);stroke-width:1.5}.mark text{fill:var(--muted)}
.mark.bad line{stroke:var(--bad)}.mark.bad circle,.mark.bad text{fill:var(--bad)}
.mark.good line{stroke:var(--good)}.mark.good circle,.mark.good text{fill:var(--good)}
.grid{stroke:var(--grid)}
.band{fill:var(--band);fill-opacity:.17}.effect{fill:none;stroke:var(--band);stroke-width:2.5;vector-effect:non-scaling-stroke}
.band.bad{fill:var(--bad)}.effect.bad{stroke:var(--bad)}.band.good{fill:var(--good)}.effect.good{stroke:var(--good)}
.last{fill:var(--band);stroke:var(--card);stroke-width:2}.last.bad{fill:var(--bad)}.last.good{fill:var(--good)}
.one-look{stroke:var(--band);stroke-width:3}.one-look.bad{stroke:var(--bad)}.one-look.good{stroke:var(--good)}
.limit{stroke:var(--warn);stroke-dasharray:5 4}.limit-words{fill:var(--warn)}
.decided{stroke:var(--ink);stroke-dasharray:2 3}.decided-words{fill:var(--ink);font-weight:600}
.curve{fill:none;stroke-width:2.5;vector-effect:non-scaling-stroke}.curve.dashed{stroke-dasharray:7 4}
path.error{stroke:none;fill-opacity:.14}
${series()}
`;
