/**
 * Notices about forty different things: what a model is measured on before a board has posts of its own. Of a line, the
 * part before the colon is the title.
 */
const LINES = `
Used city bike for sale: Three gears, new tyres, some rust. 80 euros.
Piano lessons for beginners: Patient teacher, children welcome, first hour free.
Lost grey cat near the station: Answers to Misha, has a white paw.
Room to let from May: Twelve square metres, shared kitchen, five minutes to the tram.
Road closed for resurfacing: No through traffic until Friday evening.
Farmers' market on Saturday: Cheese, honey and vegetables from the valley.
Looking for a babysitter: Two evenings a week, our daughter is four.
Open rehearsal of the choir: We sing Brahms, tenors wanted.
Chess club meets on Tuesdays: Boards and coffee are there, any level.
Free firewood: Beech, sawn, to be fetched before the weekend.
Blood donation at the town hall: Bring an identity card and eat before.
Translator from Polish wanted: Birth certificate and two letters, needed soon.
Second-hand textbooks: Anatomy and biochemistry, barely used.
Yoga in the park: Bring a mat, we start at seven in the morning.
Power cut announced: Electricity will be off between nine and noon.
Ride to Hamburg on Sunday: Two seats left, we leave at ten.
Carpenter with free capacity: Shelves, doors and stairs, made to measure.
Night of short films: Eight films from five countries, with subtitles.
Found a bunch of keys: A red ribbon and four keys, at the playground.
Apartment exchange in July: Our flat by the sea for yours in the mountains.
Help with tax returns: Every Thursday afternoon at the library, no appointment.
Volunteers for the river clean-up: Gloves and bags are provided.
Old camera lenses: Screw mount, glass without scratches.
Vaccination day for dogs: The vet is here from two to six.
Data analyst, part time: Twenty hours a week, statistics and reports.
Vegan cooking course: Six dishes in one evening, ingredients included.
Moving boxes to give away: Forty of them, folded, dry.
Football team seeks goalkeeper: We train on Mondays and lose with good humour.
Water tastes of chlorine: The works flush the pipes this week, it is harmless.
Telescope evening on the hill: Saturn and its rings, if the sky is clear.
Sewing machine repair: All makes, usually within three days.
Parents' evening about screens: A psychologist talks and answers questions.
Vintage wardrobe: Oak, two metres high, you carry it yourself.
Garden plot to share: Raspberries are there, patience is needed.
Swimming pool reopens: New tiles, longer hours, the same prices.
Startup founders' breakfast: Short talks, then croissants.
Guitar amplifier wanted: Thirty watts are enough, tubes preferred.
Walk for bird watchers: We hope for herons and cranes.
Bakery needs a driver: Early shift, van provided, six days a week.
Petition for a pedestrian crossing: Sign at the kiosk until the end of the month.
`;

/** In the form of posts. */
export const SAMPLE_NOTICES = LINES.trim()
  .split("\n")
  .map((line) => {
    const [title = "", body = ""] = line.split(": ");
    return { title, body, tags: [], placeName: null };
  });
