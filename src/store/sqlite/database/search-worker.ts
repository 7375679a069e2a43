import { serveSearches } from "../../../search/index/thread/serve.ts";
import { sqliteIndexRows } from "./index-rows.ts";

serveSearches(sqliteIndexRows);
