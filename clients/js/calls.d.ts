// `python -m clients --write` writes this file from openapi.json.
import { Asking } from "./asking.js";
import type { AcceptedAnswer, ActivatedAnswer, AliasesAnswer, CanonicalAnswer, ChangesAnswer, ClassifyAnswer, CloudAnswer, ClusterDetail, ClustersAnswer, ControlAnswer, CorporaAnswer, CorpusAnswer, CurveAnswer, DocumentAnswer, DocumentsAnswer, EditedAnswer, EditsAnswer, GroupAnswer, Liveness, ProposalsAnswer, PushedAnswer, Readiness, RecommendAnswer, RelatedAnswer, RunAnswer, RunsAnswer, SimilarAnswer, SnapshotsAnswer, SuggestAnswer, TagAnswer, TagsAnswer, TreeAnswer, TrendsAnswer } from "./answers.js";

export declare class Client extends Asking {
  /** What is served */
  corpora(): Promise<CorporaAnswer>;
  /** One corpus */
  corpus(corpus: string): Promise<CorpusAnswer>;
  /** The stored versions */
  snapshots(corpus: string, query?: { limit?: number; offset?: number }): Promise<SnapshotsAnswer>;
  /** How a job is getting on */
  job(job: string): Promise<RunAnswer>;
  /** Cancel a job */
  deleteJob(job: string): Promise<RunAnswer>;
  /** The process is alive */
  healthz(): Promise<Liveness>;
  /** Questions can be answered */
  readyz(query?: { corpus?: string }): Promise<Readiness>;
  /** For Prometheus */
  metricsPage(): Promise<string>;
  /** The grouped tag cloud around a query */
  cloud(corpus: string, query?: { together?: boolean; narrow?: boolean; from?: string; to?: string; last?: string; q?: string; tag?: string[]; exclude?: string[]; unknown?: "refuse" | "ignore"; narrower?: boolean; specificity?: number; group?: string[]; limit?: number; groups?: number; by?: "query" | "clusters" }): Promise<CloudAnswer>;
  /** Tags to suggest beside a query */
  related(corpus: string, query?: { together?: boolean; narrow?: boolean; from?: string; to?: string; last?: string; q?: string; tag?: string[]; exclude?: string[]; unknown?: "refuse" | "ignore"; narrower?: boolean; specificity?: number; limit?: number }): Promise<RelatedAnswer>;
  /** Autocomplete, and the list of all tags */
  tags(corpus: string, query?: { prefix?: string; infix?: string; limit?: number; offset?: number }): Promise<TagsAnswer>;
  /** All about one tag */
  tag(corpus: string, query: { together?: boolean; narrow?: boolean; tag: string; limit?: number }): Promise<TagAnswer>;
  /** The synonyms and folded variants of tags */
  aliases(corpus: string, query?: { limit?: number; offset?: number }): Promise<AliasesAnswer>;
  /** What editors may decide: tags that may be one, tags that say nothing */
  proposals(corpus: string, query?: { kind?: "variant" | "nested" | "co-occurring" | "substitute" | "rare" | "head-word" | "implied" | "broad" | "staged"; limit?: number; offset?: number }): Promise<ProposalsAnswer>;
  /** The partition of all tags */
  clusters(corpus: string, query?: { k?: number; limit?: number; offset?: number }): Promise<ClustersAnswer>;
  /** One cluster of the chosen cut */
  cluster(corpus: string, cluster: number): Promise<ClusterDetail>;
  /** Where a document belongs that no run has seen */
  classify(corpus: string, query: { tag: string[]; limit?: number }): Promise<ClassifyAnswer>;
  /** The tree, whole or with k leaves */
  dendrogram(corpus: string, query?: { side?: "tags" | "documents"; k?: number }): Promise<TreeAnswer>;
  /** The criterion of where to cut */
  curve(corpus: string, query?: { side?: "tags" | "documents"; limit?: number }): Promise<CurveAnswer>;
  /** The matrix as a picture */
  picture(corpus: string, query?: { of?: "before" | "after" }): Promise<Blob>;
  /** The documents behind a query */
  documents(corpus: string, query?: { from?: string; to?: string; last?: string; q?: string; tag?: string[]; exclude?: string[]; unknown?: "refuse" | "ignore"; narrower?: boolean; group?: string[]; cluster?: number; match?: "all" | "any" | "near"; sort?: "best" | "date"; limit?: number; offset?: number }): Promise<DocumentsAnswer>;
  /** Push documents */
  postDocuments(corpus: string, body: string): Promise<AcceptedAnswer>;
  /** Remove pushed documents */
  deleteDocuments(corpus: string, query?: { id?: string[]; all?: boolean }): Promise<PushedAnswer>;
  /** All about one document */
  document(corpus: string, query: { id: string; limit?: number }): Promise<DocumentAnswer>;
  /** Documents like one document, or like some tags */
  similar(corpus: string, query?: { q?: string; tag?: string[]; exclude?: string[]; unknown?: "refuse" | "ignore"; narrower?: boolean; id?: string; limit?: number; offset?: number }): Promise<SimilarAnswer>;
  /** Tags and concepts that rise or fall */
  trends(corpus: string, query?: { window?: string; direction?: "rising" | "falling"; limit?: number }): Promise<TrendsAnswer>;
  /** An Atom feed of the newest documents */
  feed(corpus: string, query?: { cluster?: number; tag?: string[]; limit?: number }): Promise<Blob>;
  /** Check tags against the vocabulary */
  canonical(corpus: string, body: Record<string, unknown>): Promise<CanonicalAnswer>;
  /** Suggest tags for documents from their text and tags */
  suggest(corpus: string, body: Record<string, unknown>): Promise<SuggestAnswer>;
  /** Group the facet values that another engine counted */
  group(corpus: string, body: Record<string, unknown>, query?: { facet?: string; groups?: number; by?: "query" | "clusters" }): Promise<GroupAnswer>;
  /** Documents for a history, spread over its concepts */
  recommend(corpus: string, body: Record<string, unknown>): Promise<RecommendAnswer>;
  /** The vocabulary as SKOS: labels, relations and collections */
  skos(corpus: string, accept: string, query?: { format?: "turtle" | "json-ld"; base?: string }): Promise<string>;
  /** Re-cluster now */
  postJob(corpus: string, query?: { fresh?: boolean }): Promise<RunAnswer>;
  /** Roll back or forward */
  activateSnapshot(corpus: string, version: string): Promise<ActivatedAnswer>;
  /** What changed since a version */
  changes(corpus: string, query: { since: string }): Promise<ChangesAnswer>;
  /** The runs of the last year */
  runs(corpus: string, query?: { limit?: number; offset?: number }): Promise<RunsAnswer>;
  /** Pause the schedule */
  pauseCorpus(corpus: string): Promise<ControlAnswer>;
  /** Resume the schedule */
  resumeCorpus(corpus: string): Promise<ControlAnswer>;
  /** Pin a version */
  pinSnapshot(corpus: string, version: string): Promise<ControlAnswer>;
  /** Unpin */
  unpinCorpus(corpus: string): Promise<ControlAnswer>;
  /** The decisions of editors */
  getEdits(corpus: string, query?: { kind?: "move" | "together" | "apart" | "label" | "synonym" | "ban" | "distinct" | "broader" | "implies" | "describe" | "translate" | "keep" | "later" | "admit"; state?: "active" | "waiting" | "inactive"; limit?: number; offset?: number }): Promise<EditsAnswer>;
  /** Decide, or try what a decision would do */
  postEdits(corpus: string, body: Record<string, unknown>, ifMatch: string, query?: { dry_run?: boolean }): Promise<EditedAnswer>;
  /** Take decisions back */
  deleteEdits(corpus: string, ifMatch: string, query: { id: string[] }): Promise<EditedAnswer>;
}
