import type { HTMLAttributes, ReactElement, ReactNode } from "react";

import type { CloudAnswer } from "./answers.js";
import type { ChooseDetail, CotagCloudEventMap, ErrorDetail } from "./cotag-cloud.js";

export interface CotagCloudProps extends Omit<HTMLAttributes<HTMLElement>, "onError" | "onLoad"> {
  /** The address of the service, for example https://cotag.example/ */
  api: string;
  corpus: string;
  /** The query, as a list. */
  tags?: readonly string[];
  /** Words as typed, instead of tags or beside them. */
  q?: string;
  groups?: number;
  by?: "query" | "clusters";
  limit?: number;
  specificity?: number;
  /** Where tags lead; `{tag}` stands for the tag. */
  href?: string;
  /** Below the cloud, at most so many documents of the query. */
  documents?: number;
  level?: 1 | 2 | 3 | 4 | 5 | 6;
  onChoose?: (chosen: ChooseDetail, event: CotagCloudEventMap["cotag-choose"]) => void;
  onLoad?: (answer: CloudAnswer, event: CotagCloudEventMap["cotag-load"]) => void;
  onError?: (error: ErrorDetail, event: CotagCloudEventMap["cotag-error"]) => void;
  children?: ReactNode;
}

/** A grouped tag cloud. A chosen tag is added to the query, unless `onChoose` calls `event.preventDefault()`. */
export declare function CotagCloud(props: CotagCloudProps): ReactElement;

export interface CotagTagsProps extends HTMLAttributes<HTMLElement> {
  /** The address of the service, for example https://cotag.example/ */
  api: string;
  corpus: string;
  /** The chosen tags; without, the element keeps them itself. */
  tags?: readonly string[];
  /** Called with the chosen tags when the visitor changes them. */
  onTags?: (tags: string[], event: Event) => void;
  /** The field of the form. */
  name?: string;
  /** The ids of the fields whose words the suggestions follow. */
  forTitle?: string;
  forText?: string;
  /** At most so many suggestions. */
  limit?: number;
  placeholder?: string;
  required?: boolean;
  disabled?: boolean;
  /** Submit one field for each tag rather than one with commas. */
  multiple?: boolean;
  children?: ReactNode;
}

/** A field for tags that suggests them from the corpus. */
export declare function CotagTags(props: CotagTagsProps): ReactElement;
