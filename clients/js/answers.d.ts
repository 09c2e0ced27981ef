// `python -m clients --write` writes this file from openapi.json.
/**
 * Documents were accepted, and where they belong as the served `version` has it (null while there is none).
 *
 * `placed` tells the clusters of the documents, `new_tags` those of the tags that are new with them.
 */
export interface AcceptedAnswer {
  corpus: string;
  changed: number;
  documents: number;
  version?: string | null;
  revision?: number | null;
  placed?: PlacedDocument[];
  new_tags?: NewTag[];
}

/** The version that the corpus serves from now on. */
export interface ActivatedAnswer {
  corpus: string;
  version: string;
}

/** One page of the other names of tags, those of the commonest tags first; `total` is how many there are. */
export interface AliasesAnswer {
  corpus: string;
  version: string;
  revision: number;
  total: number;
  offset: number;
  aliases: ListedAlias[];
}

/** A tag and its share in a suggestion, or in the score of a document. */
export interface Because {
  tag: string;
  share: number;
}

/** What names stand for, in the order of the request; the tags `missing` beside them, and which are `banned`. */
export interface CanonicalAnswer {
  corpus: string;
  version: string;
  revision: number;
  tags: (CanonicalTag | UnknownTag)[];
  missing: MissingTag[];
  banned: string[];
}

/** A name that was given (`input`), the tag that it stands for, and how it was recognised. */
export interface CanonicalTag {
  input: string;
  tag: string;
  how: "exact" | "synonym" | "plural" | "inflection" | "spelling";
  count: number;
}

/** A concept with other tags or another label; null where it does not exist. */
export interface ChangedConcept {
  id: number;
  before: ConceptState | null;
  after: ConceptState | null;
}

/**
 * How many documents a tag has before and after a change; null where it does not exist.
 *
 * If the change says what is narrower than the tag, documents with narrower tags count.
 */
export interface ChangedCount {
  tag: string;
  before: number | null;
  after: number | null;
}

/**
 * What changed from the version `since` to the version that is served. Tags are compared by their normal form.
 *
 * A concept may be in two lists. `parents` are the concepts of `since` of which it took a quarter of the tags or more.
 */
export interface ChangesAnswer {
  corpus: string;
  since: string;
  version: string;
  new: ConceptChange[];
  split: ConceptChange[];
  merged: ConceptChange[];
  gone: ConceptChange[];
  renamed: ConceptChange[];
  came: string[];
  went: string[];
  moved: TagMove[];
}

/** Where a document with these tags belongs: the most likely cluster of documents, and the next ones. */
export interface ClassifyAnswer {
  corpus: string;
  version: string;
  revision: number;
  tags: string[];
  document_cluster: DocumentPlace;
  others: DocumentPlace[];
  new_tags: NewTag[];
}

/**
 * A grouped tag cloud, most relevant group and heaviest tag first; groups that close it come last.
 *
 * `warning` says in a sentence that the groups mean little, because the query has hardly any company or the concepts
 * of the corpus mean little; there are fewer of them then.
 */
export interface CloudAnswer {
  corpus: string;
  version: string;
  revision: number;
  query: QueryAnswer;
  groups: CloudGroup[];
  other: Other;
  warning?: string | null;
}

/**
 * Tags that belong together. `key` is its leading tag, unique in the cloud; `label` names up to three of its tags.
 *
 * `edited`: the label is an editor's, of the one cluster that all its tags belong to. `relevance`: how much the group
 * belongs to this query rather than to every query; the first group by it has 1. `hue`: its colour, that of the
 * concept with the largest share of it, in degrees of the OKLCH circle; near concepts have near ones. At the end come
 * a group of tags that are `common` with everything, and one (`also`) of tags that have little in common, or matter
 * little.
 */
export interface CloudGroup {
  key: string;
  label: string;
  edited: boolean;
  common: boolean;
  also: boolean;
  relevance: number;
  weight: number;
  hue: number | null;
  clusters: ClusterShare[];
  tags: CloudTag[];
}

/**
 * One tag of a cloud: `weight` is scaled for display (the heaviest has 1), `score` is raw.
 *
 * `together`, if asked for, counts the documents that have the tag and all tags of the query.
 */
export interface CloudTag {
  tag: string;
  weight: number;
  count: number;
  score: number;
  cluster: number | null;
  broad: boolean;
  together?: number;
}

/** One cluster, its tags by falling count. */
export interface ClusterAnswer {
  id: number;
  label: string;
  size: number;
  tags: string[];
}

/**
 * One cluster of the chosen cut; `lineage` is what the snapshot says about its descent.
 *
 * `documents` belong to it, because it has the largest share of them after smoothing; they are this `share` of all.
 */
export interface ClusterDetail {
  corpus: string;
  version: string;
  revision: number;
  id: number;
  label: string;
  size: number;
  documents: number | null;
  share: number | null;
  tags: Member[];
  near: NearCluster[];
  lineage: Record<string, unknown>;
  representatives: DocumentEntry[];
}

/** A cluster that tags of a group belong to, and its share of the group's weight. */
export interface ClusterShare {
  id: number;
  share: number;
}

/** A partition of all tags. `chosen` if it is the cut of the snapshot, whose ids last from version to version. */
export interface ClustersAnswer {
  corpus: string;
  version: string;
  revision: number;
  k: number;
  chosen: boolean;
  offset: number;
  clusters: ClusterAnswer[];
}

/** A concept that changed: its label now, or its last one if it is gone, and the one it had before, if any. */
export interface ConceptChange {
  id: number;
  label: string;
  before: string | null;
  parents: number[];
}

/** A concept before or after a change. */
export interface ConceptState {
  label: string;
  size: number;
}

/** Whether the schedule of the corpus is paused, and which version is pinned. */
export interface ControlAnswer {
  corpus: string;
  paused: boolean;
  pinned: string | null;
}

/** All corpora; `stale` while the store is away and what is served may be out of date. */
export interface CorporaAnswer {
  corpora: CorpusAnswer[];
  stale: boolean;
}

/**
 * What is served of a corpus; `stale_seconds` since the store last confirmed that this is the current version.
 *
 * `rare_tags` are those of its `tags` that too few documents have for the tree. `warning` says that its concepts mean
 * little, and what to try.
 */
export interface CorpusAnswer {
  name: string;
  title: string;
  version: string;
  revision: number;
  created: string;
  age_seconds: number;
  stale: boolean;
  stale_seconds: number;
  documents: number;
  tags: number;
  rare_tags: number;
  clusters: number;
  parameters: Record<string, unknown>;
  quality: Record<string, unknown>;
  warning: string | null;
  suggestions: Record<string, unknown>;
  lineage: Record<string, unknown>;
  schedule: string | null;
  next_run: number | null;
  paused: boolean;
  pinned: string | null;
  pushed: boolean;
  run: RunAnswer | null;
}

/** The criterion by number of clusters k, arrays in parallel; `height` (of tags only) is what a cut into k loses. */
export interface CurveAnswer {
  corpus: string;
  version: string;
  revision: number;
  side: "tags" | "documents";
  chosen: number | null;
  k: number[];
  entropy: number[];
  information: number[];
  criterion: number[];
  height: number[] | null;
}

/** A piece of the query that is no tag, or a rare one, and the tags that may have been meant. */
export interface DidYouMean {
  text: string;
  tags: string[];
}

/** One document, the tags that it may be missing, and the documents nearest to it. */
export interface DocumentAnswer {
  corpus: string;
  version: string;
  revision: number;
  fresh: number;
  document: DocumentEntry;
  missing: RelatedTag[];
  similar: DocumentEntry[];
}

/**
 * A document as people see it. What the source does not say is null, or empty.
 *
 * `rare` are those of its `tags` that too few documents have to be in the tree. `cluster` is the concept with the
 * largest share of the document, null if its tags have none. `because` lists the tags of the document that
 * brought it up, largest share first. `date` is in UTC, and a year begins on its first day.
 */
export interface DocumentEntry {
  id: string;
  title: string | null;
  url: string | null;
  image: string | null;
  date: string | null;
  fields: Record<string, unknown>;
  tags: string[];
  rare: string[];
  cluster: number | null;
  score: number;
  because: Because[];
}

/**
 * A cluster of documents, labelled by the tags that tell it apart; `size` counts its documents.
 *
 * `confidence` is how likely it is; those of all clusters sum to 1.
 */
export interface DocumentPlace {
  id: number;
  label: string;
  size: number;
  confidence: number;
}

/**
 * One page of the documents behind a query, best first; `total` counts those with all its tags.
 *
 * `more` says whether another page follows. `fresh` is how many documents of the corpus came or changed after the
 * version was made; they count.
 */
export interface DocumentsAnswer {
  corpus: string;
  version: string;
  revision: number;
  fresh: number;
  query: QueryAnswer;
  total: number;
  offset: number;
  more: boolean;
  documents: DocumentEntry[];
}

/** One decision; `why` it is inactive, and whether its kind takes effect now or with the next run. */
export interface EditAnswer {
  id: string;
  kind: "move" | "together" | "apart" | "label" | "synonym" | "ban" | "distinct" | "broader" | "implies" | "describe" | "translate" | "keep" | "later" | "admit";
  tag: string;
  to: string;
  tags: string[];
  label: string;
  text: string;
  language: string;
  by: string;
  at: string;
  origin: "api" | "file";
  line: number | null;
  state: "active" | "waiting" | "inactive";
  why: string | null;
  takes_effect: "now" | "next run";
}

/** Two edits that cannot both hold: a new one, and another. */
export interface EditConflict {
  detail: string;
  edit: EditAnswer;
  other: EditAnswer;
}

/**
 * What a change would do. The first hundred tags and concepts are listed.
 *
 * `documents` has the tags that the change is about and whose number of documents changes.
 */
export interface EditReport {
  corpus: string;
  version: string;
  revision: number;
  tags_moved: number;
  concepts_changed: number;
  recall: Figure;
  bits: Figure;
  moved?: MovedTag[];
  concepts?: ChangedConcept[];
  documents?: ChangedCount[];
}

/** What a change added and removed. If it `needs_run`, `detail` says what to do. */
export interface EditedAnswer {
  corpus: string;
  version: string | null;
  revision: number;
  added: EditAnswer[];
  removed: EditAnswer[];
  needs_run: boolean;
  detail: string;
}

/**
 * One page of the edits, newest first, and how many of all are active, waiting for a run, and inactive.
 *
 * `stale`: the store is away, and these are the last ones that the service has seen.
 */
export interface EditsAnswer {
  corpus: string;
  version: string | null;
  revision: number;
  total: number;
  offset: number;
  stale: boolean;
  active: number;
  waiting: number;
  inactive: number;
  edits: EditAnswer[];
}

/** Tags that belong together, as in a cloud. */
export interface FacetGroup {
  key: string;
  label: string;
  edited: boolean;
  common: boolean;
  also: boolean;
  relevance: number;
  weight: number;
  hue: number | null;
  clusters: ClusterShare[];
  tags: FacetTag[];
}

/** A tag with the count of the other engine, and the values of its facet that stand for the tag. */
export interface FacetTag {
  tag: string;
  values: string[];
  weight: number;
  count: number;
  cluster: number | null;
  broad: boolean;
}

/** A figure before and after a change; null if it cannot be measured here. */
export interface Figure {
  before: number | null;
  after: number | null;
}

/**
 * A tag that was given.
 *
 * `kept`: it is one. `canonical`: `tag` is the one it stands for, `how` says why. `near`: it may be a double of the
 * tags in `near`. `new`: nothing is like it. `refused`: it is banned, as far as known `by` whom and `at` what time.
 */
export interface GivenTag {
  input: string;
  state: "kept" | "canonical" | "near" | "new" | "refused";
  tag: string | null;
  how: "exact" | "synonym" | "plural" | "inflection" | "spelling" | null;
  count: number;
  near: NearTag[];
  by: string | null;
  at: string | null;
}

/** The values of a facet as a grouped cloud, heaviest group and tag first; `unknown` values by falling count. */
export interface GroupAnswer {
  corpus: string;
  version: string;
  revision: number;
  facet: string;
  groups: FacetGroup[];
  unknown: UnknownValue[];
}

/** A concept of a history: its share of it, and its share of what is `recommended`. */
export interface HistoryConcept {
  id: number;
  label: string;
  share: number;
  recommended: number;
}

/** Something in a history that speaks for a document, and its share of all that does. */
export interface HistoryReason {
  kind: "document" | "tag";
  name: string;
  title: string | null;
  share: number;
}

/** How many proposals of a kind there are; `hidden`: too few are right, so only a question for the kind has them. */
export interface KindAnswer {
  kind: "variant" | "nested" | "co-occurring" | "substitute" | "rare" | "head-word" | "implied" | "broad" | "staged";
  total: number;
  hidden: boolean;
}

/** A leaf of a cut tree: one item, or the branch below the cut. */
export interface Leaf {
  id: number;
  label: string;
  size: number;
  height: number;
}

/** What is wrong with one line of a body. */
export interface LineFault {
  line: number;
  error: string;
}

/** The tree as scipy's linkage: rows [a, b, height, leaves below], nodes counted leaves first. */
export interface LinkageAnswer {
  corpus: string;
  version: string;
  revision: number;
  side: "tags" | "documents";
  k: number;
  unit: string;
  leaves: Leaf[];
  linkage: [number, number, number, number][];
}

/** Another name of a tag, how it came to stand for it, and how often documents have it. */
export interface ListedAlias {
  alias: string;
  tag: string;
  how: "synonym" | "plural" | "spelling";
  count: number;
}

/**
 * A tag with its count and its cluster; `rare`: too few documents have it for the tree.
 *
 * `as`: the synonym or variant that matched, if the tag itself did not. `description`: what the tag is for, if an
 * editor said it.
 */
export interface ListedTag {
  as?: string;
  tag: string;
  count: number;
  cluster: number | null;
  rare: boolean;
  description?: string;
}

/** The process answers. */
export interface Liveness {
  alive: boolean;
}

/** A tag of a cluster; `moved_by_refinement` if the tree has it elsewhere, but this cluster explains it better. */
export interface Member {
  tag: string;
  count: number;
  breadth: number;
  broad: boolean;
  moved_by_refinement: boolean;
}

/** A tag worth adding to those that were recognised. */
export interface MissingTag {
  tag: string;
  score: number;
  count: number;
  cluster: number | null;
}

/** A tag that changes its concept. */
export interface MovedTag {
  tag: string;
  before: number | null;
  after: number | null;
}

/** Another cluster, by how soon the tree joins it with this one. */
export interface NearCluster {
  id: number;
  label: string;
  size: number;
}

/** A tag that a given one may be a double of, and why. */
export interface NearTag {
  tag: string;
  count: number;
  evidence: string;
}

/** A related tag and its score; `together`, if asked for, counts the documents that have both tags. */
export interface Neighbour {
  tag: string;
  score: number;
  count: number;
  cluster: number | null;
  together?: number;
}

/** A tag that the snapshot does not know, the cluster of tags nearest to its documents, and how likely that is. */
export interface NewTag {
  tag: string;
  cluster: number | null;
  label: string;
  confidence: number;
  documents: number;
}

/** Candidates that `limit` left out: how many, their raw score, and their share of the score of all candidates. */
export interface Other {
  size: number;
  score: number;
  share: number;
}

/**
 * A piece of the query, the tag it was taken for, and how it was recognised.
 *
 * `how` is "title", and there is no tag, for a word that is no tag but stands in titles of documents.
 */
export interface Part {
  text: string;
  tag: string | null;
  how: "exact" | "synonym" | "plural" | "inflection" | "title" | "spelling";
}

/** A run that ended, or several in a row on one day that found nothing to do; `seconds` is their sum. */
export interface PastRunAnswer {
  job: string;
  state: string;
  ended: number;
  seconds: number;
  version: string;
  error: string;
  times: number;
}

/** A pushed document and its cluster of documents; null for one without a known tag. */
export interface PlacedDocument {
  id: string;
  document_cluster: number | null;
  confidence: number;
}

/**
 * RFC 9457 problem details. `instance` is the id of the request, as in the logs.
 *
 * `reason` says why a corpus has no snapshot to answer from, `oldest` is the oldest version that is still known,
 * `conflicts` are edits that contradict each other, and `revision` is the one that the edits have.
 */
export interface Problem {
  type: string;
  title: string;
  status: number;
  detail: string;
  instance?: string;
  suggestions?: string[];
  lines?: LineFault[];
  reason?: "clustering" | "queued" | "interrupted" | "no-worker" | "no-scheduler" | "failed" | "cancelled" | "held" | "not-started" | "empty" | "unreadable" | "store-away" | null;
  oldest?: string | null;
  revision?: number | null;
  conflicts?: EditConflict[];
}

/**
 * One proposal: that `other` is another name of `tag`, is a kind of it or implies it; or that `tag` says nothing.
 *
 * `similarity` is that of the company of the two, and `shared` the tags near to both; of a broad tag, its breadth and
 * the tags near to it. `changes` is how many documents would change. `documents` has one document with each of the
 * two, two with both if they co-occur, and three for a relation, first those that would change. `text_similarity` of a
 * substitute is how alike the texts of both are, by `words`, null without texts; `sentence` says it. `choices` are
 * tags that a staged one may be another name of.
 */
export interface ProposalAnswer {
  kind: "variant" | "nested" | "co-occurring" | "substitute" | "rare" | "head-word" | "implied" | "broad" | "staged";
  tag: string;
  other: string | null;
  count: number;
  other_count: number | null;
  together: number | null;
  changes: number;
  similarity: number;
  shared: string[];
  documents: SampleDocument[];
  text_similarity: number | null;
  words: string[];
  sentence: string | null;
  choices: string[];
}

/** One page of the proposals, kind by kind; `total` counts those on all pages. */
export interface ProposalsAnswer {
  corpus: string;
  version: string;
  revision: number;
  kinds: KindAnswer[];
  total: number;
  offset: number;
  proposals: ProposalAnswer[];
}

/** Documents were accepted or removed; `documents` is how many the corpus holds now, for its next run. */
export interface PushedAnswer {
  corpus: string;
  changed: number;
  documents: number;
}

/**
 * The query as it was understood: `ignored` words are no tags.
 *
 * `suggestions` is what they may have meant, and the common form of a rare tag (*payments*: *payment*).
 * Nothing of the answer has an `excluded` tag. `group` are the tags of the opened group, whose documents alone count.
 */
export interface QueryAnswer {
  text: string;
  tags: string[];
  understood: Part[];
  ignored: string[];
  suggestions: DidYouMean[];
  excluded: Part[];
  group: string[];
}

/**
 * Whether questions can be answered, and from what; `stale` corpora with the seconds since last confirmed.
 *
 * `missing` are the known corpora that have no snapshot, and why.
 */
export interface Readiness {
  ready: boolean;
  store: boolean;
  corpora: Record<string, string>;
  stale: Record<string, number>;
  missing: Record<string, "clustering" | "queued" | "interrupted" | "no-worker" | "no-scheduler" | "failed" | "cancelled" | "held" | "not-started" | "empty" | "unreadable" | "store-away">;
}

/**
 * Documents for a history, spread over its concepts.
 *
 * `divergence` says how far the concepts of the documents are from those of the history; 0 is the same. `unknown`
 * lists what the corpus does not know of the history.
 */
export interface RecommendAnswer {
  corpus: string;
  version: string;
  revision: number;
  fresh: number;
  unknown: string[];
  divergence: number | null;
  concepts: HistoryConcept[];
  documents: RecommendedDocument[];
}

/** A document, what of the history it is recommended `because` of, and the same as a sentence. */
export interface RecommendedDocument {
  document: DocumentEntry;
  because: HistoryReason[];
  sentence: string;
}

/** Suggestions, best first. */
export interface RelatedAnswer {
  corpus: string;
  version: string;
  revision: number;
  query: QueryAnswer;
  related: RelatedTag[];
}

/** A suggestion, with its cluster and the query tags that brought it; `together` as in a cloud. */
export interface RelatedTag {
  tag: string;
  score: number;
  count: number;
  cluster: number | null;
  because: Because[];
  together?: number;
}

/** How a run is getting on, or how it ended. Times are seconds since the epoch. */
export interface RunAnswer {
  job: string;
  corpus: string;
  state: string;
  stage: string;
  done: number;
  total: number;
  version: string;
  error: string;
  started: number;
  updated: number;
  report?: Record<string, unknown> | null;
}

/** One page of the runs of the last year, newest first. */
export interface RunsAnswer {
  corpus: string;
  total: number;
  offset: number;
  runs: PastRunAnswer[];
}

/** A document that shows how a tag is used. */
export interface SampleDocument {
  id: string;
  title: string | null;
  url: string | null;
  tags: string[];
}

/** One page of the documents like one document, or like one with the tags of the query; `document` is its id. */
export interface SimilarAnswer {
  corpus: string;
  version: string;
  revision: number;
  fresh: number;
  document: string | null;
  query: QueryAnswer;
  offset: number;
  more: boolean;
  documents: DocumentEntry[];
}

/** One stored version; `problem` says why this service cannot read it, `warning` that its concepts mean little. */
export interface SnapshotAnswer {
  version: string;
  current: boolean;
  created: string | null;
  documents: number | null;
  tags: number | null;
  rare_tags: number | null;
  clusters: number | null;
  quality: Record<string, unknown>;
  warning: string | null;
  suggestions: Record<string, unknown>;
  lineage: Record<string, unknown>;
  problem: string | null;
}

/** One page of the stored versions, newest first; `served` is what this process answers from. */
export interface SnapshotsAnswer {
  corpus: string;
  current: string | null;
  served: string | null;
  total: number;
  offset: number;
  snapshots: SnapshotAnswer[];
}

/** Tags for each document, in the order of the request; `text_known`: whether the version learnt from texts. */
export interface SuggestAnswer {
  corpus: string;
  version: string;
  revision: number;
  text_known: boolean;
  documents: SuggestedDocument[];
}

/** One reason for a suggested tag: its words, the ids of its documents or its tags, and the same as a sentence. */
export interface SuggestReason {
  kind: "words" | "documents" | "tags";
  words: string[];
  documents: string[];
  tags: string[];
  sentence: string;
}

/** The concept that most of a document's tags belong to, given and suggested ones, and their share in it. */
export interface SuggestedConcept {
  id: number;
  label: string;
  share: number;
}

/** One document of the request: tags to add, what becomes of the tags it has, and its concept. */
export interface SuggestedDocument {
  tags: SuggestedTag[];
  given: GivenTag[];
  concept: SuggestedConcept | null;
}

/** A tag worth adding; `score` is its probability. */
export interface SuggestedTag {
  tag: string;
  score: number;
  count: number;
  cluster: number | null;
  reasons: SuggestReason[];
}

/**
 * All about one tag: `share` of the documents, `breadth` from 0 (specific) to 1 (everywhere).
 *
 * Too few documents have a `rare` tag for the tree: it has no breadth, and maybe no concept. The run
 * `moved_by_refinement` a tag that its cluster explains better than the branch of the tree that it belongs to.
 * `synonyms` are declared, `variants` are the other spellings that the run folded into it, commonest first.
 * What editors say about it: its `description` in Markdown, its `labels` by language, the `broader` tags that it is a
 * kind of, the `narrower` ones that are a kind of it, and the tags that it `implies` or is `implied_by`.
 */
export interface TagAnswer {
  corpus: string;
  version: string;
  revision: number;
  tag: string;
  count: number;
  share: number;
  cluster: number | null;
  label: string | null;
  breadth: number | null;
  broad: boolean;
  rare: boolean;
  moved_by_refinement: boolean;
  synonyms: string[];
  variants: string[];
  description: string;
  labels: Record<string, string>;
  broader: string[];
  narrower: string[];
  implies: string[];
  implied_by: string[];
  neighbours: Neighbour[];
}

/** A tag whose concept changed: the ids before and now. */
export interface TagMove {
  tag: string;
  before: number;
  after: number;
}

/**
 * One page of the tags that match: `prefix` itself, what begins with it, then those with a later word that does.
 *
 * Either come by falling count, the rare ones last. `total` is how many match in all. `titles`: words of titles that
 * begin with `prefix` and are no tags, if the page has room for them.
 */
export interface TagsAnswer {
  corpus: string;
  version: string;
  revision: number;
  total: number;
  offset: number;
  tags: ListedTag[];
  titles: TitleWord[];
}

/** A word of titles that is no tag, and how many documents have it in their titles. */
export interface TitleWord {
  word: string;
  count: number;
}

/** The tree, nested. Heights are bits of information lost and never fall towards the root. */
export interface TreeAnswer {
  corpus: string;
  version: string;
  revision: number;
  side: "tags" | "documents";
  k: number;
  unit: string;
  tree: TreeNode;
}

/** A node of a dendrogram: `id` and `label` at its leaves, `children` above them; `size` counts items below. */
export interface TreeNode {
  height: number;
  size: number;
  id?: number | null;
  label?: string | null;
  children?: TreeNode[];
}

/**
 * A tag, or a concept, whose share of the documents changed: the other of `tag` and `cluster` is null.
 *
 * `count` documents of the window have it, `before` of the time before. `series` counts its documents step by step
 * from `before` of the answer on; `documents` are its newest.
 */
export interface TrendEntry {
  tag: string | null;
  cluster: number | null;
  label: string;
  score: number;
  count: number;
  before: number;
  series: number[];
  documents: DocumentEntry[];
}

/**
 * What rose or fell in a window (from `start`, before `end`) against the time before it (from `before` on).
 *
 * A point of a series has `step` seconds. `documents` of the window and `documents_before` have a date.
 */
export interface TrendsAnswer {
  corpus: string;
  version: string;
  revision: number;
  fresh: number;
  start: string;
  end: string;
  before: string;
  step: number;
  documents: number;
  documents_before: number;
  tags: TrendEntry[];
  concepts: TrendEntry[];
}

/** A name that stands for no tag, and tags that are spelled like it. */
export interface UnknownTag {
  input: string;
  unknown: boolean;
  suggestions: string[];
}

/** A value that stands for no tag, and its count. */
export interface UnknownValue {
  value: string;
  count: number;
}
