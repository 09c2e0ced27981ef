// `python -m clients --write` writes this file from openapi.json.
import { Asking } from "./asking.js";

export class Client extends Asking {
  async corpora() {
    return this.json("GET", `/v1/corpora`, {});
  }

  async corpus(corpus) {
    return this.json("GET", `/v1/corpora/${encodeURIComponent(corpus)}`, {});
  }

  async snapshots(corpus, query = {}) {
    return this.json("GET", `/v1/corpora/${encodeURIComponent(corpus)}/snapshots`, query);
  }

  async job(job) {
    return this.json("GET", `/v1/jobs/${encodeURIComponent(job)}`, {});
  }

  async deleteJob(job) {
    return this.json("DELETE", `/v1/jobs/${encodeURIComponent(job)}`, {});
  }

  async healthz() {
    return this.json("GET", `/healthz`, {});
  }

  async readyz(query = {}) {
    return this.json("GET", `/readyz`, query);
  }

  async metricsPage() {
    return this.text("GET", `/metrics`, {});
  }

  async cloud(corpus, query = {}) {
    return this.json("GET", `/v1/corpora/${encodeURIComponent(corpus)}/cloud`, query);
  }

  async related(corpus, query = {}) {
    return this.json("GET", `/v1/corpora/${encodeURIComponent(corpus)}/related`, query);
  }

  async tags(corpus, query = {}) {
    return this.json("GET", `/v1/corpora/${encodeURIComponent(corpus)}/tags`, query);
  }

  async tag(corpus, query) {
    return this.json("GET", `/v1/corpora/${encodeURIComponent(corpus)}/tag`, query);
  }

  async aliases(corpus, query = {}) {
    return this.json("GET", `/v1/corpora/${encodeURIComponent(corpus)}/aliases`, query);
  }

  async proposals(corpus, query = {}) {
    return this.json("GET", `/v1/corpora/${encodeURIComponent(corpus)}/proposals`, query);
  }

  async clusters(corpus, query = {}) {
    return this.json("GET", `/v1/corpora/${encodeURIComponent(corpus)}/clusters`, query);
  }

  async cluster(corpus, cluster) {
    return this.json("GET", `/v1/corpora/${encodeURIComponent(corpus)}/clusters/${encodeURIComponent(cluster)}`, {});
  }

  async classify(corpus, query) {
    return this.json("GET", `/v1/corpora/${encodeURIComponent(corpus)}/classify`, query);
  }

  async dendrogram(corpus, query = {}) {
    return this.json("GET", `/v1/corpora/${encodeURIComponent(corpus)}/dendrogram`, query);
  }

  async curve(corpus, query = {}) {
    return this.json("GET", `/v1/corpora/${encodeURIComponent(corpus)}/curve`, query);
  }

  async picture(corpus, query = {}) {
    return this.blob("GET", `/v1/corpora/${encodeURIComponent(corpus)}/picture`, query);
  }

  async documents(corpus, query = {}) {
    return this.json("GET", `/v1/corpora/${encodeURIComponent(corpus)}/documents`, query);
  }

  async postDocuments(corpus, body) {
    return this.json("POST", `/v1/corpora/${encodeURIComponent(corpus)}/documents`, {}, { body, media: "application/x-ndjson" });
  }

  async deleteDocuments(corpus, query = {}) {
    return this.json("DELETE", `/v1/corpora/${encodeURIComponent(corpus)}/documents`, query);
  }

  async document(corpus, query) {
    return this.json("GET", `/v1/corpora/${encodeURIComponent(corpus)}/document`, query);
  }

  async similar(corpus, query = {}) {
    return this.json("GET", `/v1/corpora/${encodeURIComponent(corpus)}/similar`, query);
  }

  async trends(corpus, query = {}) {
    return this.json("GET", `/v1/corpora/${encodeURIComponent(corpus)}/trends`, query);
  }

  async feed(corpus, query = {}) {
    return this.blob("GET", `/v1/corpora/${encodeURIComponent(corpus)}/feed`, query);
  }

  async canonical(corpus, body) {
    return this.json("POST", `/v1/corpora/${encodeURIComponent(corpus)}/canonical`, {}, { body, media: "application/json" });
  }

  async suggest(corpus, body) {
    return this.json("POST", `/v1/corpora/${encodeURIComponent(corpus)}/suggest`, {}, { body, media: "application/json" });
  }

  async group(corpus, body, query = {}) {
    return this.json("POST", `/v1/corpora/${encodeURIComponent(corpus)}/group`, query, { body, media: "application/json" });
  }

  async recommend(corpus, body) {
    return this.json("POST", `/v1/corpora/${encodeURIComponent(corpus)}/recommend`, {}, { body, media: "application/json" });
  }

  async skos(corpus, accept, query = {}) {
    return this.text("GET", `/v1/corpora/${encodeURIComponent(corpus)}/skos`, query, { headers: { "Accept": accept } });
  }

  async postJob(corpus, query = {}) {
    return this.json("POST", `/v1/corpora/${encodeURIComponent(corpus)}/jobs`, query);
  }

  async activateSnapshot(corpus, version) {
    return this.json("POST", `/v1/corpora/${encodeURIComponent(corpus)}/snapshots/${encodeURIComponent(version)}/activate`, {});
  }

  async changes(corpus, query) {
    return this.json("GET", `/v1/corpora/${encodeURIComponent(corpus)}/changes`, query);
  }

  async runs(corpus, query = {}) {
    return this.json("GET", `/v1/corpora/${encodeURIComponent(corpus)}/runs`, query);
  }

  async pauseCorpus(corpus) {
    return this.json("POST", `/v1/corpora/${encodeURIComponent(corpus)}/pause`, {});
  }

  async resumeCorpus(corpus) {
    return this.json("DELETE", `/v1/corpora/${encodeURIComponent(corpus)}/pause`, {});
  }

  async pinSnapshot(corpus, version) {
    return this.json("POST", `/v1/corpora/${encodeURIComponent(corpus)}/snapshots/${encodeURIComponent(version)}/pin`, {});
  }

  async unpinCorpus(corpus) {
    return this.json("DELETE", `/v1/corpora/${encodeURIComponent(corpus)}/pin`, {});
  }

  async getEdits(corpus, query = {}) {
    return this.json("GET", `/v1/corpora/${encodeURIComponent(corpus)}/edits`, query);
  }

  async postEdits(corpus, body, ifMatch, query = {}) {
    return this.json("POST", `/v1/corpora/${encodeURIComponent(corpus)}/edits`, query, { body, media: "application/json", headers: { "If-Match": ifMatch } });
  }

  async deleteEdits(corpus, ifMatch, query) {
    return this.json("DELETE", `/v1/corpora/${encodeURIComponent(corpus)}/edits`, query, { headers: { "If-Match": ifMatch } });
  }

}
