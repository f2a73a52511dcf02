/** Digests of images in docker-compose.yml, deploy/Dockerfile and kustomizations. */

/** Digest of the image that a name stands for now: sha256: and 64 digits. */
export type Resolve = (image: ImageName) => Promise<string>;

export interface ImageName {
  /** Without tag and digest, as it is written. */
  readonly repository: string;
  readonly tag: string;
}

const DIGEST = /^sha256:[0-9a-f]{64}$/;
/** A line of Compose, Dockerfile: what stands before the image, the image, what stands behind it. */
const LINE =
  /^(\s*(?:- )?image: |FROM )([\w./-]+(?::\d+(?=\/)[\w./-]*)?):([\w][\w.-]*)(?:@sha256:[0-9a-f]{64})?( .*)?$/;
const NO_DIGEST = /\s*# no digest known: .*$/;
const NO_DIGEST_ABOVE = /^# No digest is known here: .*$/;

/**
 * The text of a Compose file or a Dockerfile with the digest behind each image of another's making. `own` is the image that is built
 * here. Marks that no digest is known go.
 */
export async function pinText(text: string, own: string, resolve: Resolve): Promise<string> {
  const known = new Map<string, string>();
  const lines: string[] = [];
  for (const line of text.split('\n')) {
    const [, before, repository, tag, behind = ''] = LINE.exec(line) ?? [];
    if (repository === undefined || repository === own) {
      lines.push(line);
      continue;
    }
    const digest = known.get(`${repository}:${tag}`) ?? (await digestOf({ repository, tag }, resolve));
    known.set(`${repository}:${tag}`, digest);
    lines.push(`${before}${repository}:${tag}@${digest}${behind.replace(NO_DIGEST, '')}`);
  }
  return lines.filter((line) => !NO_DIGEST_ABOVE.test(line)).join('\n');
}

/** The text of a kustomization whose images with a `newName` have the digest of that name and their `newTag`. */
export async function pinKustomization(text: string, resolve: Resolve): Promise<string> {
  const entry = /^( +)newName: (\S+)\n\1newTag: (\S+)\n(?:\1digest: \S+\n)?/gm;
  let pinned = '';
  let end = 0;
  for (const found of text.matchAll(entry)) {
    const [whole, indent, repository, quoted] = found;
    const tag = quoted.replace(/^["']|["']$/g, '');
    const digest = await digestOf({ repository, tag }, resolve);
    const lines = [`newName: ${repository}`, `newTag: ${quoted}`, `digest: ${digest}`];
    pinned += `${text.slice(end, found.index)}${lines.map((line) => `${indent}${line}\n`).join('')}`;
    end = found.index + whole.length;
  }
  if (end === 0) throw new Error('the kustomization has no image with newName and newTag');
  return pinned + text.slice(end);
}

async function digestOf(image: ImageName, resolve: Resolve): Promise<string> {
  const digest = await resolve(image);
  if (!DIGEST.test(digest)) throw new Error(`${image.repository}:${image.tag}: "${digest}" is no digest`);
  return digest;
}
