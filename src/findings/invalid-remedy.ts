/** What to do about records that are invalid, by the most frequent reason. */
import type { InvalidFiles } from './invalid-files.ts';
import type { InvalidReason } from './invalid-reasons.ts';

/** What is said of files, and of topics. */
interface Words {
  /** The command that shows what they hold. */
  readonly inspect: string;
  readonly form: string;
  readonly swapped: string;
  /** What can be done if no record has the id of its list. */
  readonly noId: string;
}

export const FILES: Words = {
  inspect: 'receval inspect FILE...',
  form: 'The file must hold one JSON object a line, in UTF-8.',
  swapped: 'These are records of the other side: are the files swapped?',
  noId: ' If nothing in the log links an action to its list, join.by: userId takes the last list of its user (docs/files.md).',
};

export const TOPICS: Words = {
  inspect: 'receval inspect --kafka',
  form: 'Each record must be one JSON object, in UTF-8.',
  swapped: 'Are the names of kafka.topics swapped, or does the topic need an adapter?',
  noId: '',
};

export function invalidRemedy(code: InvalidFiles['code'], reason: InvalidReason, words: Words): string {
  const isLacking = code === 'some_invalid' && reason.code === 'missing_field';
  const noId = reason.code === 'missing_field' && reason.field === 'requestId' ? words.noId : '';
  return `${isLacking ? lackingRemedy(reason) : remedyOf(reason, words)}${noId} docs/events.md explains each code.`;
}

/** The remedy for a missing field that other records have, so that its place is right. */
function lackingRemedy({ field }: InvalidReason): string {
  return `Log ${field ?? 'the field'} in every record; if these have it in another place, say where (adapter: {maps: [...]}).`;
}

/** Fields that are numbers. A record may have them as text. */
const NUMBER = /^(?:value|offset|items\[\d+\]\.(?:position|score|propensity))$/;

/** Fields that are text, but no ids: numbers, true and false are refused. */
const TEXT = /^(?:surface|variant|experiments|action|model\.name|items\[\d+\]\.(?:team|category))$/;

function remedyOf({ side, code, field, hasComma, count }: InvalidReason, words: Words): string {
  const { inspect, form, swapped } = words;
  if (code === 'wrong_type' && hasComma && field !== undefined && NUMBER.test(field)) {
    return `${field} is no number, and the record has one with a decimal comma: write 3.5 in place of 3,5; ${inspect} shows a command that does it for ratings.`;
  }
  if (code === 'wrong_type' && field !== undefined && TEXT.test(field)) {
    return `${field} is text: write "1" in place of 1, and "true" in place of true, or say where the text is (adapter: {map: {...}}); ${inspect} shows a command.`;
  }
  switch (code) {
    case 'missing_field':
    case 'wrong_type':
      return `Say where ${field ?? 'the field'} is (adapter: {map: {...}}); ${inspect} finds out, and writes it.`;
    case 'bad_time':
      return `A time is ISO 8601 text with its zone (without one set timeZone), or a number in the unit that tsUnit names; ${inspect} shows what is there.`;
    case 'wrong_kind':
      return side === 'impressions'
        ? `Without items a record passes for feedback: say where the list is (adapter: {map: {...}}); ${inspect} finds out, and writes it.`
        : swapped;
    case 'bad_id':
      return 'An id is text that is not empty, or a whole number below 2^53: larger numbers lose digits in JSON, so write ids as text.';
    case 'not_json':
      return `${form}${count === 1 && words === FILES ? ' If that row is the last one, the file is still being written, or was cut off: take it when it is complete.' : ''}`;
    case 'not_an_object':
    case 'not_utf8':
      return form;
    case 'not_csv':
      return 'The columns are not those of the adapter.';
    default:
      return 'Fix what writes the log.';
  }
}
