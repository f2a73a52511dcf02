/** Seeds that once broke a promise, and what they showed. Each passes since, and is run at every change. */
export const PINNED: readonly { readonly seed: number; readonly showed: string }[] = [
  {
    seed: 1,
    showed: 'a running worker begins a unit again that Redis has forgotten, though nobody asked for a rebuild',
  },
  { seed: 45, showed: 'a topic that once led is held back for good when nothing comes any more' },
  { seed: 4087, showed: 'a replay holds a topic back for another one in which nothing comes, and so never ends' },
  { seed: 18, showed: 'a topic passes for silent right after it was read' },
  { seed: 12513, showed: 'a unit that was let go holds back the topics of the one that was claimed in its place' },
];
