/** An experiment: the decision on each variant, its measures, the looks, and whether the split is sound. */

import { type EffectChart, effectChart, effectWords } from '../charts/effect.tsx';
import { coordinate, Frame } from '../charts/frame.tsx';
import { type Children, Fragment, jsx } from '../charts/jsx.ts';
import type { Tone } from '../charts/palette.ts';
import type { ComparedCohorts } from '../experiment/cohort-splits.ts';
import type { ComparedVariant, Comparison } from '../experiment/comparison.ts';
import {
  countsUsers,
  detectableWords,
  earlierWords,
  SPLIT_WORDS,
  type SplitState,
  splitState,
} from '../experiment/comparison-words.ts';
import type { LookPoint } from '../experiment/experiment-looks.ts';
import {
  cohortTable,
  cohortWords,
  INTERVAL_NOTES,
  measuresTable,
  oddTraffic,
  planTable,
  planWords,
  splitTable,
} from '../experiment/presented.ts';
import { instant, levelOf, percent, probability } from '../vocabulary/numbers.ts';
import { DataTable } from './data-table.tsx';
import { Forest } from './forest.tsx';
import type { ExperimentView, Verdict } from './model.ts';
import { Name } from './name.ts';

const TONES: Readonly<Record<ComparedVariant['decision'], Tone>> = {
  regressed: 'bad',
  improved: 'good',
  healthy: 'good',
  invalid: 'warn',
  insufficient: 'plain',
};

/** The decisions, the gravest first: if variants differ, the gravest is shown. */
const GRAVITY: readonly ComparedVariant['decision'][] = ['regressed', 'invalid', 'improved', 'insufficient', 'healthy'];

/** The verdict on the variant with the gravest decision; if several have it, on the one whose proven loss is largest. */
export function verdictOf({ variants }: Comparison): Verdict {
  const [first] = [...variants].sort(
    (a, b) => GRAVITY.indexOf(a.decision) - GRAVITY.indexOf(b.decision) || provenLoss(b) - provenLoss(a),
  );
  if (first === undefined) return { tone: 'plain', badge: 'nothing to compare', sentence: 'There is one variant.' };
  const others = variants.filter((one) => one !== first);
  const rest =
    others.length === 0 ? '' : ` ${others.map(({ variant, decision }) => `${variant}: ${decision}.`).join(' ')}`;
  return {
    tone: TONES[first.decision],
    badge: first.decision,
    sentence: `${first.explanation}${decidedWords(first)}${rest}`,
  };
}

/** The loss of a variant that is proven on a measure that decides, as a fraction of the control; below 0: it is not worse. */
function provenLoss({ measures }: ComparedVariant): number {
  const losses = measures.map(({ role, better, liftCi }) => {
    if (role === 'other' || liftCi === null) return Number.NEGATIVE_INFINITY;
    return better === 'lower' ? liftCi[0] : -liftCi[1];
  });
  return Math.max(...losses);
}

/** Says since when a decision stands that may need action. */
function decidedWords({ decision, decidedAt }: ComparedVariant): string {
  if (decidedAt === null || decision === 'healthy' || decision === 'insufficient') return '';
  return ` Decided at ${instant(decidedAt)} UTC.`;
}

/** The experiments one after the other, each under its name if there are several. */
export function Experiments({ experiments }: { readonly experiments: readonly ExperimentView[] }) {
  return (
    <>
      {experiments.map((experiment, e) => (
        <div>
          {experiments.length === 1 ? null : (
            <h2>
              Experiment <Name>{experiment.comparison.experiment}</Name>
            </h2>
          )}
          <Experiment {...experiment} id={e === 0 ? '' : `-${e}`} />
        </div>
      ))}
    </>
  );
}

/** One experiment. `id` distinguishes it from the others on the page. */
function Experiment({ comparison, trail, weights, plan, ratioBy = [], id }: ExperimentView & { readonly id: string }) {
  const { variants, control, alpha, tolerance, earlier } = comparison;
  return (
    <>
      {earlier === undefined ? null : (
        <section class="card" aria-labelledby={`before${id}`}>
          <h2 id={`before${id}`}>The run before</h2>
          <p>{earlierWords(earlier)}</p>
        </section>
      )}
      {variants.map((variant) => (
        <section
          class={variant.decision === 'invalid' ? 'card faded' : 'card'}
          aria-label={`${variant.variant} against ${control}`}
        >
          <h2>
            <Name>{variant.variant}</Name> <small>against</small> <Name>{control}</Name>{' '}
            <span class={`badge small ${TONES[variant.decision]}`}>{variant.decision}</span>
          </h2>
          <p>
            {variants.length === 1 ? null : <Name>{variant.explanation}</Name>}{' '}
            <span class="note">
              Reason: <code>{variant.reason}</code>
              {variant.decidedAt === null || variant.decision === 'insufficient'
                ? ''
                : `, decided at ${instant(variant.decidedAt)} UTC`}
              .
            </span>
          </p>
          {variant.decision === 'invalid' ? (
            <p class="note">The numbers below decide nothing: the experiment is invalid.</p>
          ) : null}
          <h3>Every measure</h3>
          <Forest variant={variant} control={control} alpha={alpha} tolerance={tolerance} />
          <h3>The primary measure, look by look</h3>
          <Looks comparison={comparison} variant={variant} points={trail.get(variant.variant) ?? []} />
          <details>
            <summary>All numbers</summary>
            <Numbers variant={variant} alpha={alpha} />
          </details>
        </section>
      ))}
      <section class="card" aria-labelledby={`split${id}`}>
        <h2 id={`split${id}`}>Is the split sound?</h2>
        <Split comparison={comparison} weights={weights} />
        {ratioBy.map((dimension) => (
          <SplitByCohort comparison={comparison} dimension={dimension} />
        ))}
      </section>
      {plan === undefined ? null : (
        <section class="card" aria-labelledby={`plan${id}`}>
          <h2 id={`plan${id}`}>How long to wait</h2>
          <DataTable {...planTable(plan)} />
          <p class="note">{planWords(comparison, plan).join(' ')}</p>
        </section>
      )}
    </>
  );
}

function Numbers({ variant, alpha }: { readonly variant: ComparedVariant; readonly alpha: number }) {
  const { columns, rows } = measuresTable([variant], alpha);
  return (
    <>
      <DataTable columns={columns.slice(1)} rows={rows.map((cells) => cells.slice(1))} />
      {variant.measures.every(({ ci }) => ci === null) ? null : (
        <p class="note">
          {INTERVAL_NOTES.join(' ')} Detectable: the smallest effect that could have been seen, with power .8.
        </p>
      )}
    </>
  );
}

/** The users of each variant, and the number that its weight implies. */
function Split({ comparison, weights }: Pick<ExperimentView, 'comparison' | 'weights'>) {
  const { users, srm, start } = comparison;
  const names = Object.keys(users);
  const state = splitState(srm);
  const hasUsers = countsUsers(comparison);
  const all = names.reduce((sum, name) => sum + users[name], 0);
  const whole = names.reduce((sum, name) => sum + (weights?.get(name) ?? 0), 0);
  const expected = (name: string): number | undefined =>
    weights === undefined || whole === 0 ? undefined : ((weights.get(name) ?? 0) / whole) * all;
  const most = Math.max(1, ...names.map((name) => Math.max(users[name], expected(name) ?? 0)));
  const { columns, rows } = splitTable(comparison, 'lists', weights === undefined ? undefined : expected);
  const bar = (name: string): Children => {
    const promised = expected(name);
    return <UsersBar users={users[name] / most} promised={promised && promised / most} />;
  };
  return (
    <figure>
      <p>
        <span class={`badge small ${SPLIT_TONES[state]}`}>{SPLIT_WORDS[state]}</span> {splitSentence(comparison)}
      </p>
      <DataTable
        class="bars"
        columns={[...columns, ...(hasUsers ? [{ name: 'users as a bar', class: 'bar-cell', isUnseen: true }] : [])]}
        rows={rows.map((cells, v) => [...cells, ...(hasUsers ? [bar(names[v])] : [])])}
      />
      <figcaption>
        {!hasUsers
          ? ''
          : weights === undefined
            ? 'Users by the variant that they saw first. '
            : 'Users by the variant that they saw first; the mark is what its weight promises. '}
        {start === undefined ? '' : `Lists before ${instant(start)} UTC take no part. `}
        <strong>{oddWords(comparison)}</strong>
      </figcaption>
    </figure>
  );
}

/** A bar of users and a mark at the promised number, both as parts of the width, 0 to 1. */
function UsersBar({ users, promised }: { readonly users: number; readonly promised: number | undefined }) {
  return (
    <svg width="100%" height="18" aria-hidden="true">
      <rect class="fill" width={coordinate(users)} height="18" rx="3" />
      {promised === undefined ? null : (
        <line class="promise" x1={coordinate(promised)} x2={coordinate(promised)} y1="0" y2="18" />
      )}
    </svg>
  );
}

const SPLIT_TONES: Readonly<Record<SplitState, Tone>> = {
  off: 'bad',
  suspect: 'warn',
  untested: 'plain',
  few: 'plain',
  sound: 'good',
};

function splitSentence({ srm }: Comparison): string {
  const { p, deviation, reason } = srm;
  if (p === null || deviation === null) return `The split of the users could not be tested: ${reason ?? 'no_data'}.`;
  return `The largest deviation from the configured split is ${percent(deviation)} of what was expected (p ${probability(p)}, at any number of looks); ${detectableWords(srm)}.`;
}

function oddWords(comparison: Comparison): string {
  const found = oddTraffic(comparison, 'lists');
  if (found.length > 0) return found.join(' ');
  // The badge above says what is wrong with the split. Without a list, nothing is known.
  return splitState(comparison.srm) === 'sound' ? 'Nothing is odd about the traffic.' : '';
}

/** Whether the users are split as configured in each cohort of a dimension (`compare --ratio-by`). */
function SplitByCohort({
  comparison,
  dimension,
}: {
  readonly comparison: Comparison;
  readonly dimension: ComparedCohorts;
}) {
  const { columns, rows } = cohortTable(comparison, dimension);
  const [result, ...notes] = cohortWords(comparison, dimension);
  return (
    <figure>
      <h3>
        Split of the users by <Name>{dimension.by}</Name>
      </h3>
      <DataTable
        columns={columns.map((column) => (column.name === '' ? { name: 'warning', isUnseen: true } : column))}
        rows={rows.map(([value, warning, ...numbers]) => [
          value,
          warning === '' ? '' : <span class="badge small bad">{warning}</span>,
          ...numbers,
        ])}
      />
      <figcaption>
        <strong>{result}</strong> {notes.join(' ')}
      </figcaption>
    </figure>
  );
}

interface LooksProps {
  readonly comparison: Comparison;
  readonly variant: ComparedVariant;
  /** The looks in the order of time. */
  readonly points: readonly LookPoint[];
}

/** The difference of the primary measure look by look, and what can be seen in it. */
function Looks({ comparison, variant, points }: LooksProps) {
  const chart = effectChart(comparison, variant, points);
  if (chart === undefined) return <p class="note">No look had an error yet, so there is nothing to draw.</p>;
  return (
    <figure>
      <Frame {...chart} height={240} />
      <figcaption>
        Difference of <Name>{comparison.primary}</Name>, <Name>{variant.variant}</Name> minus{' '}
        <Name>{comparison.control}</Name>, with the {levelOf(comparison.alpha)} band that holds however often you look.{' '}
        <strong>{whatToSee(chart, variant.decision !== 'invalid')}</strong>
      </figcaption>
    </figure>
  );
}

/** Describes the chart. @param isOpen whether more looks may still find a difference */
function whatToSee({ last, tone }: EffectChart, isOpen: boolean): string {
  const { lower, upper } = last;
  const end = `At the last look, ${instant(new Date(last.at).toISOString())}, it is ${effectWords(last)}`;
  if (lower > 0 || upper < 0) return `${end}: the whole band lies ${upper < 0 ? 'below' : 'above'} 0.`;
  // A difference was found, at this look or before.
  if (tone !== 'plain') return `${end}. The band holds 0 again; what was found at an earlier look stays.`;
  return `${end}. The band holds 0${isOpen ? ': no difference can be told yet' : ''}.`;
}
