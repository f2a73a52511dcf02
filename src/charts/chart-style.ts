/** How marks of charts look, by class, on pages and in files. */
import { SERIES } from './palette.ts';

function series(): string {
  return SERIES.map(
    (_, i) =>
      `circle.series-${i}{fill:var(--s${i})}path.series-${i}{stroke:var(--s${i})}path.error.series-${i}{fill:var(--s${i});stroke:none}`,
  ).join('\n');
}

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
