/** Follows a database with a replica until it is killed. Arguments: the database's URL, and the replica's folder. */
import { openMongodb } from "../../src/store/mongodb/index.ts";
import { openSmallReplica } from "./small-replica.ts";

const [url = "", folder = ""] = process.argv.slice(2);
const store = await openMongodb(url);
await openSmallReplica(store.feed, folder);
process.stdout.write("ready\n");
