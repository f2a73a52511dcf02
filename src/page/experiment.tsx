/** An experiment: the decision on each variant, its measures, the looks, and whether the split is sound. */

import { coordinate } from '../charts/frame.tsx';
import { Fragment, jsx } from '../charts/jsx.ts';
import type { Tone } from '../charts/palette.ts';
import type { ComparedVariant, Comparison } from '../experiment/comparison.ts';
import { earlierWords } from '../experiment/earlier-run.ts';
import { emptyWords } from '../experiment/empty-lists.ts';
import { errorNotes } from '../experiment/error-notes.ts';
import { type PlannedVariant, REACHABLE_DAYS } from '../experiment/experiment-plan.ts';
import { likelyBots } from '../experiment/likely-bots.ts';
import { otherVariants } from '../experiment/other-variants.ts';
import { countsUsers, detectableWords, SPLIT_WORDS, type SplitState, splitState } from '../experiment/split-words.ts';
import { grouped } from '../vocabulary/grouped.ts';
import {
  daysWords,
  instant,
  levelOf,
  listed,
  percent,
  plain,
  probability,
  range,
  shown,
  signed,
} from '../vocabulary/numbers.ts';
import { Looks } from './effect-chart.tsx';
import { Forest } from './forest.tsx';
import type { ExperimentView, Verdict } from './model.ts';
import { Name } from './name.ts';
import { Scroll } from './scroll.tsx';
import { SplitByCohort } from './split-by-cohort.tsx';

const TONES: Readonly<Record<ComparedVariant['decision'], Tone>> = {
  regressed: 'bad',
  improved: 'good',
  healthy: 'good',
  invalid: 'warn',
  insufficient: 'plain',
};

/** The decision to show first if variants differ. */
const GRAVITY: readonly ComparedVariant['decision'][] = ['regressed', 'invalid', 'improved', 'insufficient', 'healthy'];

/** Verdict on the variant with the gravest decision; of several, on the one whose proven loss is largest. */
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

/** By how much a variant is worse at least on a measure that decides, as a fraction of the control; below 0: not worse. */
function provenLoss({ measures }: ComparedVariant): number {
  const losses = measures.map(({ role, better, liftCi }) => {
    if (role === 'other' || liftCi === null) return Number.NEGATIVE_INFINITY;
    return better === 'lower' ? liftCi[0] : -liftCi[1];
  });
  return Math.max(...losses);
}

/** Of what somebody may have to act on. */
function decidedWords({ decision, decidedAt }: ComparedVariant): string {
  if (decidedAt === null || decision === 'healthy' || decision === 'insufficient') return '';
  return ` Decided at ${instant(decidedAt)} UTC.`;
}

/** One after the other; named if there are several. */
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

/** `id` tells the experiments of one page apart. */
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
          <SplitByCohort dimension={dimension} />
        ))}
      </section>
      {plan === undefined ? null : (
        <section class="card" aria-labelledby={`plan${id}`}>
          <h2 id={`plan${id}`}>How long to wait</h2>
          <Plan plan={plan} />
        </section>
      )}
    </>
  );
}

function Numbers({ variant, alpha }: { readonly variant: ComparedVariant; readonly alpha: number }) {
  const level = levelOf(alpha);
  return (
    <Scroll>
      <table>
        <thead>
          <tr>
            {['measure', 'role'].map((name) => (
              <th scope="col">{name}</th>
            ))}
            {['control', 'value', 'effect', `${level} interval`, 'p', 'p adjusted', 'detectable'].map((name) => (
              <th scope="col" class="number">
                {name}
              </th>
            ))}
            <th scope="col">absent because</th>
          </tr>
        </thead>
        <tbody>
          {variant.measures.map((one) => (
            <tr>
              <th scope="row">
                <Name>{one.measure}</Name>
              </th>
              <td>{one.role}</td>
              <td class="number">{shown(one.control, plain)}</td>
              <td class="number">{shown(one.value, plain)}</td>
              <td class="number">{shown(one.effect, signed)}</td>
              <td class="number">{range(one.ci, signed)}</td>
              <td class="number">{shown(one.p, probability)}</td>
              <td class="number">{shown(one.pAdjusted, probability)}</td>
              <td class="number">{shown(one.mde, plain)}</td>
              <td>{one.reason ?? ''}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {variant.measures.every(({ ci }) => ci === null) ? null : (
        <p class="note">
          Intervals hold however often you look; each stands for itself, not adjusted for the number of comparisons. p
          is the smallest of all looks so far, of a guardrail one-sided (worse); adjusted by Holm within a role.
          Detectable: the smallest effect that could have been seen, with power .8.
        </p>
      )}
    </Scroll>
  );
}

/** Users of each variant, and the number its weight implies. */
function Split({ comparison, weights }: Pick<ExperimentView, 'comparison' | 'weights'>) {
  const { users, impressions, userless, emptyLists, srm, start } = comparison;
  const names = Object.keys(users);
  const state = splitState(srm);
  const hasUsers = countsUsers(comparison);
  const isUserless = names.some((name) => userless[name] > 0);
  const all = names.reduce((sum, name) => sum + users[name], 0);
  const whole = names.reduce((sum, name) => sum + (weights?.get(name) ?? 0), 0);
  const expected = (name: string): number | undefined =>
    weights === undefined || whole === 0 ? undefined : ((weights.get(name) ?? 0) / whole) * all;
  const most = Math.max(1, ...names.map((name) => Math.max(users[name], expected(name) ?? 0)));
  return (
    <figure>
      <p>
        <span class={`badge small ${SPLIT_TONES[state]}`}>{SPLIT_WORDS[state]}</span> {splitSentence(comparison)}
      </p>
      <Scroll>
        <table class="bars">
          <thead>
            <tr>
              <th scope="col">variant</th>
              {!hasUsers ? null : (
                <th scope="col" class="number">
                  users
                </th>
              )}
              {!hasUsers || weights === undefined ? null : (
                <th scope="col" class="number">
                  expected
                </th>
              )}
              <th scope="col" class="number roomy">
                lists
              </th>
              {isUserless ? (
                <th scope="col" class="number">
                  without a user
                </th>
              ) : null}
              {emptyLists === undefined ? null : (
                <th scope="col" class="number">
                  empty
                </th>
              )}
              {!hasUsers ? null : (
                <th scope="col" class="bar-cell">
                  <span class="unseen">users as a bar</span>
                </th>
              )}
            </tr>
          </thead>
          <tbody>
            {names.map((name) => {
              const promised = expected(name);
              return (
                <tr>
                  <th scope="row">
                    <Name>{name}</Name>
                  </th>
                  {!hasUsers ? null : <td class="number">{grouped(users[name])}</td>}
                  {!hasUsers || weights === undefined ? null : <td class="number">{shown(promised, grouped)}</td>}
                  <td class="number roomy">{grouped(impressions[name])}</td>
                  {isUserless ? <td class="number">{percent(userless[name])}</td> : null}
                  {emptyLists === undefined ? null : <td class="number">{percent(emptyLists[name].share)}</td>}
                  {!hasUsers ? null : <UsersBar users={users[name] / most} promised={promised && promised / most} />}
                </tr>
              );
            })}
          </tbody>
        </table>
      </Scroll>
      <figcaption>
        {!hasUsers
          ? ''
          : weights === undefined
            ? 'Users by the variant that they saw first. '
            : 'Users by the variant that they saw first; the mark is what its weight promises. '}
        {start === undefined ? '' : `Lists before ${instant(start)} UTC take no part. `}
        <strong>{oddTraffic(comparison)}</strong>
      </figcaption>
    </figure>
  );
}

/** Parts of the width, 0 to 1. */
function UsersBar({ users, promised }: { readonly users: number; readonly promised: number | undefined }) {
  return (
    <td class="bar-cell">
      <svg width="100%" height="18" aria-hidden="true">
        <rect class="fill" width={coordinate(users)} height="18" rx="3" />
        {promised === undefined ? null : (
          <line class="promise" x1={coordinate(promised)} x2={coordinate(promised)} y1="0" y2="18" />
        )}
      </svg>
    </td>
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

function oddTraffic(comparison: Comparison): string {
  const { srm, crossovers } = comparison;
  const strange = otherVariants(comparison);
  const found = [
    ...(crossovers > 0 ? [`${grouped(crossovers)} of the sampled users were seen in more than one variant.`] : []),
    ...emptyWords(comparison),
    ...errorNotes(comparison),
    ...likelyBots(comparison).map(
      ([name, part]) =>
        `About ${percent(part)} of the lists of ${name} come from one user, or from few that share its bucket: a bot?`,
    ),
    ...(strange !== '' ? [`Lists of other variants, which take no part: ${strange}.`] : []),
  ];
  if (found.length > 0) return found.join(' ');
  // The badge above says what is wrong with the split; without a list nothing is known.
  return splitState(srm) === 'sound' ? 'Nothing is odd about the traffic.' : '';
}

function Plan({ plan }: { readonly plan: readonly PlannedVariant[] }) {
  const rows = plan.flatMap(({ variant, effects, healthy }) => [
    ...(effects ?? []).map((planned) => ({ variant, what: 'an effect of', planned })),
    ...(healthy === null ? [] : [{ variant, what: 'healthy within', planned: healthy }]),
  ]);
  const beyond = plan.filter(({ healthy }) => (healthy?.days ?? 0) > REACHABLE_DAYS).map(({ variant }) => variant);
  return (
    <figure>
      <Scroll>
        <table>
          <thead>
            <tr>
              <th scope="col">variant</th>
              <th scope="col">to see</th>
              <th scope="col" class="number">
                users of both
              </th>
              <th scope="col" class="number">
                days since the start
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.map(({ variant, what, planned: { effect, users, days } }) => (
              <tr>
                <th scope="row">
                  <Name>{variant}</Name>
                </th>
                <td>
                  {what} {percent(effect)}
                </td>
                <td class="number">{grouped(users)}</td>
                <td class="number">{daysWords(days)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
      <figcaption>
        With power .8, at any number of looks, at the rate of new users so far: the least to expect, because users who
        come back add less.{' '}
        {beyond.length === 0 ? (
          ''
        ) : (
          <strong>
            Out of reach in {REACHABLE_DAYS} days: healthy, of {listed(beyond)}.
          </strong>
        )}
      </figcaption>
    </figure>
  );
}
