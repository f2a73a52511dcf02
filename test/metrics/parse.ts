/** A reader of Prometheus' text format, apart from the writer: what it cannot read is an error. */
export interface Family {
  readonly help: string;
  readonly type: string;
  readonly samples: readonly Sample[];
}

export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export function parse(text: string): ReadonlyMap<string, Family> {
  if (!text.endsWith('\n')) throw new Error('the text does not end with a line feed');
  const families = new Map<string, { help: string; type: string; samples: Sample[] }>();
  let current = '';
  for (const line of text.split('\n')) {
    if (line === '') continue;
    const head = /^# (HELP|TYPE) (\S+) (.+)$/.exec(line);
    if (head?.[1] === 'HELP') {
      current = head[2];
      if (families.has(current)) throw new Error(`a second HELP of ${current}`);
      families.set(current, { help: unescaped(head[3]), type: '', samples: [] });
      continue;
    }
    const family = families.get(current);
    if (family === undefined) throw new Error(`no HELP before: ${line}`);
    if (head !== null) {
      if (head[2] !== current || family.type !== '') throw new Error(`a TYPE out of place: ${line}`);
      family.type = head[3];
    } else family.samples.push(sampleOf(line, current));
  }
  return families;
}

function sampleOf(line: string, family: string): Sample {
  const parts = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)$/.exec(line);
  if (parts === null) throw new Error(`not a sample: ${line}`);
  const [, name, labels = '', value] = parts;
  if (name !== family && !new RegExp(`^${family}_(bucket|sum|count)$`).test(name))
    throw new Error(`${line} in ${family}`);
  const number = Number(value.replace('Inf', 'Infinity'));
  if (Number.isNaN(number)) throw new Error(`not a number: ${line}`);
  return { name, labels: labelsOf(labels), value: number };
}

function labelsOf(text: string): Readonly<Record<string, string>> {
  const found: [string, string][] = [];
  let rest = text;
  while (rest !== '') {
    const one = /^([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\]|\\.)*)"(?:,|$)/.exec(rest);
    if (one === null) throw new Error(`not labels: ${text}`);
    if (found.some(([name]) => name === one[1])) throw new Error(`label ${one[1]} twice: ${text}`);
    found.push([one[1], unescaped(one[2])]);
    rest = rest.slice(one[0].length);
  }
  return Object.fromEntries(found);
}

function unescaped(text: string): string {
  return text.replace(/\\(.)/g, (_, c: string) => (c === 'n' ? '\n' : c));
}

/** Value of the one sample with exactly these labels; undefined: there is none. */
export function sampleValue(
  families: ReadonlyMap<string, Family>,
  name: string,
  labels: Readonly<Record<string, string>> = {},
): number | undefined {
  const family = families.get(name) ?? families.get(name.replace(/_(bucket|sum|count)$/, ''));
  if (family === undefined) throw new Error(`no metric ${name}`);
  const key = (all: Readonly<Record<string, string>>): string => JSON.stringify(Object.entries(all).sort());
  const found = family.samples.filter((sample) => sample.name === name && key(sample.labels) === key(labels));
  if (found.length > 1) throw new Error(`${name}${key(labels)} stands ${found.length} times`);
  return found[0]?.value;
}
