import type { Words } from "./words.ts";

/** Gujarati. */
export const gu: Words = {
  ignore: "ભૂલી જા|અવગણ",
  prior: "અગાઉની|બધી|પહેલાની|ઉપરની",
  rules: "સૂચના|નિયમ|આદેશ",
  say: "લખો|કહો|જવાબ",
  repeat: "બતાવો|લખો",
  your: "તમારી|તમારો|તારી",
  secret: "પાસવર્ડ|કી|ગુપ્ત",
  prompt: "સિસ્ટમ પ્રોમ્પ્ટ",
  send: "મોકલ",
};
