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
