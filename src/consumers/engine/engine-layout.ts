/**
 * What the host must know of the engine's memory, as `wasm/compile.ts` has asked the compiler. Not edited by hand. Of a structure, AT:
 * where the only one is; BYTES: its size; of each field the index, counted from where the structure begins: in doubles if it is one,
 * else in words of 32 bits.
 */
export const IMPRESSION_EVENT = {
  AT: 4352,
  BYTES: 64,
  ts: 0,
  texts: 2,
  items: 3,
  ranks: 4,
  scores: 5,
  categories: 6,
  length: 7,
  page: 8,
  userWord: 9,
  flags: 10,
  body: 11,
  context: 12,
  userFrom: 13,
  userEnd: 14,
  ids: 15,
} as const;

export const FEEDBACK_EVENT = {
  AT: 4480,
  BYTES: 32,
  ts: 0,
  value: 1,
  request: 4,
  item: 5,
  action: 6,
  eventId: 7,
} as const;

export const FEED = {
  AT: 5120,
  BYTES: 100,
  latest: 0,
  futureSkew: 1,
  outOfOrderness: 2,
  reach: 3,
  positionBase: 4,
  ignoredKeys: 5,
  unit: 12,
  topic: 13,
  rows: 14,
  count: 15,
  next: 16,
  program: 17,
  scanner: 18,
  holds: 19,
  itemsPerList: 20,
  limit: 21,
  hasMilliseconds: 22,
  carriesScores: 23,
  row: 24,
} as const;

export const ROW = {
  BYTES: 24,
  offset: 0,
  timestamp: 1,
  at: 4,
  size: 5,
} as const;

export const CLOSING = {
  BYTES: 48,
  at: 0,
  ts: 1,
  kind: 4,
  horizon: 5,
  tag: 6,
  isUserless: 7,
  userWord: 8,
  length: 9,
  page: 10,
  events: 11,
} as const;

export const CLOSES = {
  AT: 4736,
  BYTES: 96,
  at: 0,
  ts: 1,
  kind: 4,
  horizon: 5,
  tag: 6,
  isUserless: 7,
  userWord: 8,
  length: 9,
  page: 10,
  events: 11,
  entry: 12,
  request: 13,
  items: 14,
  categories: 15,
  hasRanks: 16,
  hasFirstSlots: 17,
  hasScores: 18,
  eventArrays: 19,
  eventRoom: 20,
  slotArrays: 21,
  slotRoom: 22,
  isNumeric: 23,
} as const;

export const QUEUED_EVENT = {
  BYTES: 24,
  ts: 0,
  value: 1,
  slot: 4,
  action: 5,
} as const;

export const ADDER = {
  BYTES: 40,
  due: 0,
  kept: 2,
  holders: 3,
  versions: 4,
  contexts: 5,
  tags: 6,
  generation: 7,
  userless: 8,
  bucketWidth: 9,
} as const;

export const ADDER_PANE = {
  BYTES: 24,
  from: 0,
  to: 1,
  cells: 4,
  tags: 5,
} as const;

export const CELL = {
  BYTES: 24,
  vectors: 0,
  first: 1,
  second: 2,
  third: 3,
  isTouched: 4,
  reserved: 5,
} as const;

export const PENDING_BUCKETS = {
  BYTES: 8,
  buckets: 0,
  changed: 1,
} as const;

export const KEPT_TABLE = {
  BYTES: 16,
  width: 0,
  actions: 1,
  lengths: 2,
  mostEvents: 3,
} as const;

export const KEPT_PLACE = {
  BYTES: 16,
  pattern: 0,
  sums: 2,
  reserved: 3,
} as const;

export const ACTION_CODES = {
  BYTES: 16,
  first: 0,
  behind: 1,
  readsValue: 2,
  addsUp: 3,
} as const;

export const KEPT_SUMS = {
  BYTES: 16,
  isPositive: 0,
  shared: 1,
  all: 2,
  ranks: 3,
} as const;

export const TAG_OF_CONTEXT = {
  BYTES: 8,
  tag: 0,
  version: 1,
} as const;

export const ROW_STEP = {
  BYTES: 16,
  text: 0,
  length: 1,
  column: 2,
  kind: 3,
} as const;

export const SETTINGS = {
  AT: 4992,
  BYTES: 72,
  seed: 0,
  backward: 1,
  decidedUpTo: 2,
  topics: 6,
  horizons: 7,
  feedbackLimit: 8,
  searchUpTo: 9,
  longBytes: 10,
  feedbackTopics: 11,
  hasObserver: 12,
  actions: 13,
  delayBounds: 14,
  hasNames: 15,
  adder: 16,
  block: 17,
} as const;

export const TOPIC_STATE = {
  BYTES: 96,
  position: 0,
  watermark: 1,
  committed: 2,
  stopAt: 3,
  notedSlice: 4,
  sliceMs: 5,
  hasClockDrops: 6,
  leaps: 7,
  impressionsRead: 8,
  impressionsFuture: 9,
  feedbackRead: 10,
  feedbackFuture: 11,
} as const;

export const UNIT_FIGURES = {
  BYTES: 68,
  open: 0,
  waits: 1,
  steps: 2,
  bytes: 3,
  oldest: 4,
  predecessorOffset: 5,
  predecessorWatermark: 6,
  counts: 14,
  delays: 15,
  states: 16,
} as const;

export const RESULTS = {
  AT: 9216,
  BYTES: 60,
  time: 0,
  value: 1,
  timeForm: 4,
  valueForm: 5,
  offset: 6,
  length: 7,
  flags: 8,
  userWord: 9,
  context: 10,
  item: 11,
  action: 12,
  eventId: 13,
  scored: 14,
} as const;

export const PROGRAM = {
  BYTES: 20,
  root: 0,
  contextEnd: 1,
  spans: 2,
  cases: 3,
  caseCount: 4,
} as const;

export const NODE = {
  BYTES: 12,
  keys: 0,
  count: 1,
  scalars: 2,
} as const;

export const KEY = {
  BYTES: 44,
  first: 0,
  second: 1,
  third: 2,
  fourth: 3,
  mask: 4,
  length: 5,
  rest: 6,
  field: 7,
  node: 8,
  items: 9,
  seen: 10,
} as const;

export const CASE = {
  BYTES: 16,
  conditions: 0,
  conditionCount: 1,
  moves: 2,
  moveCount: 3,
} as const;

export const CONDITION = {
  BYTES: 16,
  span: 0,
  kind: 1,
  values: 2,
  valueCount: 3,
} as const;

export const MOVE = {
  BYTES: 16,
  field: 0,
  span: 1,
  from: 2,
  to: 3,
} as const;

export const IS_LATE = 0;
export const IS_DUPLICATE = 1;
export const USERLESS = 1;
export const HAS_RANKS = 2;
export const HAS_SCORES = 4;
export const HAS_CATEGORIES = 8;
export const CLOSES_LIST = 1;
export const UNREFS_TAG = 2;
export const MOST_QUEUED_EVENTS = 3;
export const MOST_VECTORS = 3;
export const MOST_LISTS = 4096;
export const PLACE_BITS = 15;
export const NUMBER_IS_VALUE = 0;
export const NUMBER_IS_LISTS = 1;
export const NUMBER_IS_POSITIVES = 2;
export const NUMBER_IS_NONE = 3;
export const NUMBER_IF_ANY = 4;
export const ROW_TEXT_BEYOND = 16;
export const NUMBER_BYTES = 17;
export const ACCEPTED = 0;
export const LATE = 1;
export const DUPLICATE = 2;
export const IMPRESSION_COUNTS = 3;
export const ATTRIBUTED = 0;
export const FEEDBACK_LATE = 1;
export const FEEDBACK_DUPLICATE = 2;
export const CAPPED = 3;
export const NOT_IN_LIST = 4;
export const ORPHAN = 5;
export const FEEDBACK_COUNTS = 6;
export const IMPRESSION = 1;
export const FEEDBACK = 2;
export const HAS_IMPRESSIONS = 1;
export const HAS_FEEDBACK = 2;
export const CARRIES_CATEGORIES = 4;
export const WHOLE = 0;
export const TEXT = 1;
export const BEFORE_RANKS = 4;
export const BEFORE_SCORE_SPANS = 8;
export const BEFORE_CATEGORY_PLACES = 24;
export const BEFORE_SCORES = 28;
export const SPANS = 8192;
export const ZEROS = 64;
export const CONTEXT = 10;
export const MOST_FIELDS = 32;
export const MOST_SPANS = 96;
export const PLACES = 32;
export const EXISTS = 0;
export const IS_ABSENT = 1;
export const IS_ONE_OF = 2;
