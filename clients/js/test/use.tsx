// How a TypeScript project uses the package. `npm run types` fails when a type is missing or wrong.
import { ApiError, Client, NoAnswer, type CloudAnswer, type CloudGroup } from "cotag";
import type { CotagCloud as CloudElement } from "cotag/cotag-cloud";
import type { CotagTags as TagsElement } from "cotag/cotag-tags";
import { CotagCloud, CotagTags } from "cotag/react";

const cotag = new Client("http://127.0.0.1:8000", { retries: 1 });

export async function labels(query: string): Promise<string[]> {
  try {
    const cloud: CloudAnswer = await cotag.cloud("demo", { q: query, groups: 5, by: "query" });
    return cloud.groups.map((group: CloudGroup) => group.label);
  } catch (error) {
    if (error instanceof NoAnswer) return [error.message];
    if (error instanceof ApiError) return error.suggestions.length ? error.suggestions : [error.detail];
    throw error;
  }
}

export async function wrong(): Promise<void> {
  // @ts-expect-error there is no such parameter
  await cotag.cloud("demo", { clusters: 5 });
  // @ts-expect-error the tag is needed
  await cotag.tag("demo", {});
  // @ts-expect-error of these two only
  await cotag.cloud("demo", { by: "weather" });
}

export function inPage(): void {
  const cloud: CloudElement | null = document.querySelector("cotag-cloud");
  cloud?.addEventListener("cotag-choose", (event) => {
    event.preventDefault();
    const tag: string = event.detail.tag;
    cloud.tags = [...cloud.tags, tag];
  });
}

export function inForm(): string[] {
  const field: TagsElement | null = document.querySelector("cotag-tags");
  field?.addEventListener("cotag-load", (event) => console.log(event.detail.documents[0]?.tags));
  // @ts-expect-error the form of a field is not to be set
  if (field) field.form = null;
  return field?.tags ?? [];
}

export function Form({ tags, onTags }: { tags: string[]; onTags: (tags: string[]) => void }) {
  return (
    <form>
      <textarea id="body" />
      <CotagTags api="https://cotag.example/" corpus="demo" name="tags" forText="body" tags={tags} onTags={onTags} required />
    </form>
  );
}

export function Page({ tags }: { tags: string[] }) {
  return (
    <CotagCloud api="https://cotag.example/" corpus="demo" tags={tags} onChoose={(chosen) => console.log(chosen.tag)}>
      Tags of this page
    </CotagCloud>
  );
}
