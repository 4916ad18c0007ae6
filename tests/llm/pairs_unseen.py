"""As pairs_strangers.py, but written after the word tables were settled; no word was added to them for these."""

from tests.llm.pairs import Pair

PAIRS = (
    Pair(
        "kangaroo care",
        "Does kangaroo care help preterm babies survive?",
        """# Skin to skin in five hospitals

3,211 infants of 1.0 to 1.8 kg. Held by the mother from birth (17 h a day) 12.0% died within 28 days; held after
stabilisation 15.7%. Sepsis 22.9% v 27.8%. Hypothermia on day 1: 5.6% v 8.3%.
""",
    ),
    Pair(
        "tourniquet",
        "Should surgeons use a tourniquet in knee replacement?",
        """- Blood loss 210 ml with, 390 ml without
- Thigh pain on day 2: 5.4 and 3.8 of 10
- Clots: 9 of 150, 3 of 150
- Time in theatre 71 v 74 min

Cementing was judged no better (p = 0.52).
""",
    ),
    Pair(
        "cats",
        "Do indoor cats live longer than outdoor cats?",
        """# Practice records, 4 clinics

Median age at death 14.9 years for animals kept inside, 11.2 for free-roaming ones (n = 2,310). Traffic caused 23% of the
deaths outside. Obesity was commoner inside (38% v 21%).
""",
    ),
    Pair(
        "silvopasture",
        "Is silvopasture good for beef cattle in hot climates?",
        """Leucaena hedges on 40 ha, Colombia. Steers gained 0.77 kg a day, on open pasture 0.41 kg. Shade lowered rectal
temperature by 0.8 °C. Carrying capacity 3.1 head per ha against 1.2. Planting cost 1,400 dollars per ha.
""",
    ),
    Pair(
        "urban foxes",
        "Why do foxes do so well in cities?",
        """# Bristol and Zurich

Density reached 37 adults per km2 in Bristol before mange; then 95% vanished in two years. In Zurich household refuse made
up 54% of stomach contents. Home ranges were 28 ha in town and 210 ha outside.
""",
    ),
    Pair(
        "hempcrete",
        "How well does hempcrete insulate walls?",
        """Wall panels 30 cm thick, lime binder. Thermal conductivity 0.07 W/mK at 330 kg/m3. Moisture buffering 2.1 g/m2.
Strength is only 0.6 MPa so a timber frame is needed. Each m2 stores 35 kg of CO2.
""",
    ),
    Pair(
        "night trains",
        "Can night trains replace short flights in Europe?",
        """# Vienna to Paris

Sleeper: 14 h, 4.9 kg CO2 per passenger. Plane: 2 h, 163 kg. Tickets from 69 euros v 84 euros. Occupancy 78%.
In a survey of 1,020 travellers 44% would switch if they arrived before 9 am.
""",
    ),
    Pair(
        "class pets",
        "Do calculators in primary school harm mental arithmetic?",
        """Meta-analysis of 54 studies. With calculators in lessons and tests, problem solving rose (g = 0.33). Paper-and-pencil
skills did not suffer (g = 0.02), except in grade 4 (-0.15). Attitudes were better by 0.20.
""",
    ),
    Pair(
        "silk road",
        "What goods were traded along the Silk Road in the Tang dynasty?",
        """# Turfan documents

Of 38 customs entries from 743, 17 name silver, 9 incense and 6 silk. One bolt cost 460 coins in Turfan and 280 in Xi'an.
Caravans counted 40 to 400 camels. Loads weighed about 150 kg per animal.
""",
    ),
    Pair(
        "kimchi",
        "How does salt content change the fermentation of kimchi?",
        """Cabbage at 1.5, 2.5 and 4% NaCl, 10 °C. pH 4.2 was reached after 9, 12 and 19 days. Leuconostoc peaked at 8.9 log CFU/g
in the middle batch. Texture: 21 N, 24 N and 27 N. Panel of 30 liked 2.5% best (7.4 of 9).
""",
    ),
    Pair(
        "sprint bfr",
        "Does blood flow restriction training build strength after ACL surgery?",
        """# Cuff trial

28 patients, 8 weeks, leg press at 30% of 1RM with cuff or 70% without. Quadriceps thickness +5.8% and +6.7%. Knee pain
during sessions 1.9 v 4.1. Strength gained 104% and 106% of baseline.
""",
    ),
    Pair(
        "garbage",
        "Is Go or Java better for low-latency web services?",
        """Same gateway written twice. p99 latency 11 ms (Go) and 34 ms (Java 17, G1). Memory 120 MB v 610 MB. Throughput 41,000
and 47,000 requests per second. Pauses over 10 ms: 0 and 19 per hour. Writing took 9 and 7 days.
""",
    ),
)
