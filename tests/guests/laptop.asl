// What a laptop's firmware tells of its power: an adapter that is plugged in, and a full battery.
// guest.sh gives it to the guest, whose own drivers make /sys/class/power_supply of it.
DefinitionBlock ("", "SSDT", 2, "KADVIS", "LAPTOP", 0x00000001)
{
    Scope (\_SB)
    {
        Device (ADP1)
        {
            Name (_HID, "ACPI0003")
            Name (_PCL, Package () { \_SB })
            Method (_PSR) { Return (One) }
            Method (_STA) { Return (0x0F) }
        }
        Device (BAT0)
        {
            Name (_HID, EisaId ("PNP0C0A"))
            Name (_UID, Zero)
            Name (_PCL, Package () { \_SB })
            Method (_STA) { Return (0x1F) }
            // In mWh; designed and last full capacity, rechargeable, 11.1 V, low at 10 and 5 %.
            Method (_BIF)
            {
                Return (Package () {
                    Zero, 50000, 48000, One, 11100, 5000, 2500, 100, 100,
                    "Guest", "1", "LION", "Made"
                })
            }
            Method (_BST) { Return (Package () { Zero, Zero, 48000, 12000 }) }
        }
    }
}
