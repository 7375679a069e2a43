import { describe, expect, it } from "vitest";
import { fieldMeant, fieldsNamed, kindMeant } from "../../src/adapters/calls/field-names.ts";

describe("a field that the call does not have", () => {
  it.each([
    ["ix", "id", "id"],
    ["i", "id", "id"],
    ["xy", "id", null],
    ["age", "tags", null],
    ["tgas", "tags", "tags"],
    ["titel", "title", "title"],
    ["lable", "label", "label"],
    ["time", "starts_at", "starts_at"],
    ["offset", "cursor", "cursor"],
    ["venuxx", "venues", "venues"],
    ["venxxx", "venues", null],
    ["agxx", "ages", null],
    [`${"x".repeat(39)}y`, "x".repeat(40), "x".repeat(40)],
    [`${"x".repeat(40)}y`, "x".repeat(40), null],
  ])("%s beside %s means %s", (name, field, meant) => {
    expect(fieldMeant(name, new Set([field]))).toBe(meant);
  });

  it.each([
    ["q", "query keywords keyword text search"],
    ["near", "location"],
    ["kind", "type category"],
    ["after", "from since start_date date"],
    ["before", "to until end_date date"],
    ["parent_id", "parent reply_to replyTo in_reply_to thread_id"],
    ["starts_at", "start starts start_at start_time start_date begin when date datetime date_time"],
    ["ends_at", "end ends end_at end_time end_date"],
    ["expires_at", "expires expiry"],
    ["timezone", "tz time_zone"],
    ["source_url", "source"],
    ["title", "subject headline"],
    ["body", "description content message text"],
    ["wait_s", "wait"],
    ["id", "subscription_id post_id"],
    ["post_id", "id"],
    ["url", "link"],
  ])("is %s by another name: %s", (field, names) => {
    for (const name of names.split(" "))
      expect([name, fieldsNamed(name, new Set([field]))]).toEqual([name, [field]]);
    expect(fieldsNamed("colour", new Set([field]))).toEqual([]);
  });

  it.each([
    ["starts_at", "time"],
    ["cursor", "page offset"],
    ["lat", "latitude"],
    ["lng", "longitude lon long"],
    [
      "location",
      "location_name venue where place address street city town region country lat latitude lng lon long longitude coordinates geo",
    ],
    [
      "near",
      "location_name venue where place address street city town region country lat latitude lng lon long longitude coordinates geo",
    ],
  ])("proposes %s, and does not read it, for: %s", (field, names) => {
    for (const name of names.split(" "))
      expect([name, fieldMeant(name, new Set([field])), fieldsNamed(name, new Set([field]))]).toEqual([
        name,
        field,
        [],
      ]);
  });

  it.each([
    [
      "offer",
      "sale sell selling for_sale item product service rental rent rentals giveaway free gift goods listing job vacancy housing",
    ],
    ["request", "wanted want buy buying looking looking_for search seeking need needed help ask lost"],
    [
      "event",
      "meetup concert workshop party class course meeting conference festival talk show market exhibition",
    ],
    ["thread", "discussion question poll chat forum topic debate"],
    ["announcement", "news notice alert info information warning update message note found"],
  ])("as a kind is %s: %s", (kind, names) => {
    for (const name of names.split(" "))
      expect([name, kindMeant(name), kindMeant(`${name}s`)]).toEqual([name, kind, kind]);
    for (const name of ["salesman", "concerto", "newspaper", "partying"])
      expect([name, kindMeant(name)]).toEqual([name, null]);
  });

  it("is read by another name where only that is known", () => {
    expect(fieldsNamed("date", new Set(["after", "before"]))).toEqual(["after", "before"]);
    expect(fieldsNamed("date", new Set(["after", "date"]))).toEqual([]);
    expect(fieldsNamed("time", new Set(["starts_at"]))).toEqual([]);
  });

  it.each([
    ["sale", "offer"],
    ["For Sale", "offer"],
    ["looking-for", "request"],
    [" Concerts ", "event"],
    ["questions", "thread"],
    ["news", "announcement"],
    ["furniture", null],
  ])("as a kind, %j is %s", (sent, kind) => {
    expect(kindMeant(sent)).toBe(kind);
  });
});
