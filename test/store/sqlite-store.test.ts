import { describeStore } from "../contract/store.contract.ts";
import { sqliteUnderTest } from "../support/search/store-under-test.ts";

describeStore("sqlite", sqliteUnderTest);
