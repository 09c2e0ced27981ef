// A search page: what the visitor chose, the cloud around it, and its documents.
import { ApiError, Client, type DocumentEntry } from "cotag";
import { CotagCloud, CotagTags } from "cotag/react";
import { useEffect, useState } from "react";

const COTAG: string = import.meta.env.VITE_COTAG_URL ?? "http://127.0.0.1:8000";
const CORPUS: string = import.meta.env.VITE_COTAG_CORPUS ?? "demo";
const cotag = new Client(COTAG);

export function Search() {
  const [tags, setTags] = useState<string[]>([]);
  const [documents, setDocuments] = useState<DocumentEntry[]>([]);
  const [message, setMessage] = useState("");

  useEffect(() => {
    let current = true;
    setMessage("");
    if (tags.length === 0) {
      setDocuments([]);
      return;
    }
    cotag.documents(CORPUS, { tag: tags, limit: 12 }).then(
      (answer) => current && setDocuments(answer.documents),
      (error: unknown) => {
        if (!(error instanceof ApiError)) throw error;
        if (current) setMessage(error.problem.detail ?? error.message);
      },
    );
    return () => {
      current = false;
    };
  }, [tags]);

  return (
    <main>
      <h1>Find an icon</h1>
      <CotagTags api={COTAG} corpus={CORPUS} tags={tags} onTags={setTags} placeholder="A word" aria-label="Tags" />
      <CotagCloud
        api={COTAG}
        corpus={CORPUS}
        tags={tags}
        onChoose={(chosen, event) => {
          event.preventDefault();
          setTags([...new Set([...tags, chosen.tag])]);
        }}
      />
      <p role="status">{message}</p>
      <ul>
        {documents.map((document) => (
          <li key={document.id}>{document.title ?? document.id}</li>
        ))}
      </ul>
    </main>
  );
}
