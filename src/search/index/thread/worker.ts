import { OwnRows } from "../own-rows.ts";
import { serveSearches } from "./serve.ts";

serveSearches((database) => new OwnRows(database));
